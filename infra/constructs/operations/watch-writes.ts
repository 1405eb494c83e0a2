import type { AlarmRule } from './alarm-rule.ts';
import { type Graph, graph } from './graph.ts';
import type { IntegrationMetrics } from './integration-metrics.ts';

export function writeAlarmRules(metrics: IntegrationMetrics): Readonly<Record<string, AlarmRule>> {
  const { queue } = metrics.watched.writes ?? {};
  return {
    UnclearWrites: {
      says: 'A write is unclear: the API may have carried it out or not, and a person has to find out.',
      section: 'unclear-writes',
      isLevel: true,
      metric: metrics.of('UnclearWrites', 'Unclear writes'),
      above: 0, // only a person can settle it
    },
    WriteDeadLetters: {
      says: 'The dead-letter queue of writes is not empty: a write failed for two hours or cannot be carried out as asked.',
      section: 'write-dead-letters',
      isLevel: true,
      metric: metrics.waiting(queue?.deadLetterQueue, 'Dead letters of writes'),
      above: 0, // each is a write that somebody waits for
    },
    WritesStalled: {
      says: 'A write stands still although the sweep wakes it.',
      section: 'writes-stalled',
      isLevel: true,
      metric: metrics.of('StalledWrites', 'Stalled writes'),
      above: 0,
      periods: 3, // the first sweep wakes it; if it is still stalled at the third, waking does not help
    },
    WritesHalted: {
      says: 'Writes wait for another key: that of their connection is missing, malformed or was refused by the API.',
      section: 'writes-halted',
      isLevel: true,
      metric: metrics.of('HaltedWrites', 'Halted writes'),
      above: 0, // only a person can store another key
    },
  };
}

export function writeWidgets(metrics: IntegrationMetrics): readonly Graph[] {
  const { queue } = metrics.watched.writes ?? {};
  return [
    graph('Writes by end', [
      metrics.of('WritesDone', 'Done'),
      metrics.of('WritesRefused', 'Refused'),
      metrics.of('WritesUnclear', 'Unclear'),
    ]),
    graph(
      'Writes that wait',
      [
        metrics.of('UnclearWrites', 'For a person'),
        metrics.of('HaltedWrites', 'For a key'),
        metrics.of('StalledWrites', 'Stalled'),
      ],
      [
        metrics.waiting(queue?.queue, 'In the queue'),
        metrics.waiting(queue?.deadLetterQueue, 'Dead letters of writes'),
      ],
    ),
    graph('From accepting a write to its end, p95 (s)', [metrics.of('WriteSeconds', 'Seconds')]),
  ];
}
