/** How the ids of some rows follow each other; `one`: fewer than two. */
export type IdOrder = 'one' | 'rising' | 'falling' | 'none';

/**
 * @param ids JSON texts. Numbers, and texts of digits alone, are compared by value, all others as text. Both kinds in
 * one list have no order.
 */
export function idOrderOf(ids: readonly string[]): IdOrder {
  let order: IdOrder = 'one';
  for (let at = 1; at < ids.length && order !== 'none'; at++) {
    order = withOrder(order, stepBetween(ids[at - 1] ?? '', ids[at] ?? ''));
  }
  return order;
}

export function withOrder(order: IdOrder, other: IdOrder): IdOrder {
  if (order === 'one' || order === other) return other;
  return other === 'one' ? order : 'none';
}

export function stepBetween(id: string, next: string): IdOrder {
  const digits = digitsOf(id);
  const nextDigits = digitsOf(next);
  if (digits === undefined || nextDigits === undefined) {
    return digits === nextDigits ? compared(id, next) : 'none';
  }
  const byLength = digits.length - nextDigits.length;
  if (byLength !== 0) return byLength < 0 ? 'rising' : 'falling';
  return compared(digits, nextDigits);
}

function compared(id: string, next: string): IdOrder {
  if (id === next) return 'none';
  return id < next ? 'rising' : 'falling';
}

function digitsOf(id: string): string | undefined {
  return /^"?0*(\d+)"?$/.exec(id)?.[1];
}
