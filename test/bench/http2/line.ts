import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A line to a server of this machine on which everything takes as long as over a network: half of the round trip in
 * each direction, and one round trip more before the first bytes, which TCP needs for its connection. It loses nothing
 * and is as wide as this machine.
 */
export function startLine(port: number, roundTripMs: number): Server {
  const oneWayMs = roundTripMs / 2;
  return createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    carry(near, far, oneWayMs, performance.now() + roundTripMs);
    carry(far, near, oneWayMs, 0);
  });
}

/** @param openMs When the first bytes may leave, on the clock of `performance.now`. */
function carry(from: Socket, to: Socket, oneWayMs: number, openMs: number): void {
  const underWay: { readonly piece: Buffer; readonly dueMs: number }[] = [];
  const deliver = () => {
    const nowMs = performance.now();
    for (let first = underWay[0]; first !== undefined; first = underWay[0]) {
      if (first.dueMs > nowMs) return;
      underWay.shift();
      if (!to.destroyed) to.write(first.piece);
    }
  };
  from.on('data', (piece) => {
    const dueMs = Math.max(performance.now(), openMs) + oneWayMs;
    underWay.push({ piece, dueMs });
    // A timer may be early by less than a millisecond; the next one delivers what it has left.
    setTimeout(deliver, Math.ceil(dueMs - performance.now()) + 1);
  });
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroy(), oneWayMs));
}
