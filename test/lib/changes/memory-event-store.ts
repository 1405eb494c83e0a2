import type { EventStore } from '../../../lib/changes/handle-once.ts';

interface Kept {
  readonly token: string;
  readonly untilMs: number;
  readonly isDone: boolean;
}

/** A store as its port says, in memory. Before and after each call has its effect, `onCall` may throw: an outage, a crash. */
export function memoryEventStore(
  now: () => number,
  onCall: (place: string) => void = () => {},
): EventStore {
  const items = new Map<string, Kept>();
  const call = async <T>(name: string, effect: () => T): Promise<T> => {
    onCall(`before ${name}`);
    const result = effect();
    onCall(`after ${name}`);
    return result;
  };
  return {
    claim: ({ id, token, untilMs }) =>
      call('claim', () => {
        const kept = items.get(id);
        if (kept?.isDone) return 'done';
        if (kept !== undefined && kept.untilMs >= now() && kept.token !== token) return 'busy';
        items.set(id, { token, untilMs, isDone: false });
        return 'new';
      }),
    done: ({ id, token, untilMs }) =>
      call('done', () => {
        items.set(id, { token, untilMs, isDone: true });
      }),
    forget: ({ id, token }) =>
      call('forget', () => {
        const kept = items.get(id);
        if (kept?.token === token && !kept.isDone) items.delete(id);
      }),
  };
}
