import { compilePattern, type EventPattern } from '../services/eventbridge/event-pattern.ts';
import type { ReceivedMessage } from './sqs-event.ts';

/** Tells whether a message reaches the function. */
export type MessageFilter = (message: ReceivedMessage) => boolean;

/**
 * Compiles the filters of an event source mapping; a message that matches none is deleted
 * (developer guide, "Using event filtering with an Amazon SQS event source").
 *
 * @throws SettingError naming what a pattern has that is not run here.
 */
export function compileMessageFilter(patterns: readonly string[], place: string): MessageFilter {
  if (patterns.length === 0) return () => true;
  const compiled: readonly EventPattern[] = patterns.map((pattern) =>
    compilePattern(JSON.parse(pattern), `${place}, FilterCriteria`),
  );
  return (message) => {
    const record = { body: jsonOrText(message.Body), attributes: message.Attributes };
    return compiled.some((matches) => matches(record));
  };
}

function jsonOrText(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
