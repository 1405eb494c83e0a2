/** What a stack may write, as the setting `operations`: with a key of its own, plainly, and with a check. */
export const WRITE_OPERATIONS = [
  { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  { name: 'create-plainly', method: 'POST', resource: 'customers', acceptsIdempotencyKey: false },
  {
    name: 'rename',
    method: 'PATCH',
    resource: 'customers/{id}',
    acceptsIdempotencyKey: false,
    check: {
      kind: 'read',
      resource: 'customers/{params.id}',
      match: { name: '{body.name}' },
      settleSeconds: 0,
    },
  },
];
