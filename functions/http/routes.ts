const CONNECTION = '/connections/{connection}';

/** The routes of the HTTP API: the stack declares them and the function serves them. */
export const ROUTES = {
  startExport: { method: 'POST', path: `${CONNECTION}/exports` },
  listExports: { method: 'GET', path: `${CONNECTION}/exports` },
  showExport: { method: 'GET', path: `${CONNECTION}/exports/{exportId}` },
  listCustomers: { method: 'GET', path: `${CONNECTION}/customers` },
} as const;

/** The routes of writes, in a stack that declares operations. */
export const WRITE_ROUTES = {
  requestWrite: { method: 'POST', path: `${CONNECTION}/writes` },
  listUnclearWrites: { method: 'GET', path: `${CONNECTION}/writes` },
  showWrite: { method: 'GET', path: `${CONNECTION}/writes/{writeId}` },
  settleWrite: { method: 'POST', path: `${CONNECTION}/writes/{writeId}/settlement` },
} as const;
