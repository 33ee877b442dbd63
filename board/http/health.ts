import type { FastifyInstance } from 'fastify';

export interface Health {
  /** What keeps the counts from being live; `undefined` while nothing does. */
  readonly notReadyReason: () => string | undefined;
  /** What an operator should look at though the counts are live. */
  readonly warning: () => string | undefined;
  /** Further fields of `/readyz`, ready or not. */
  readonly details?: () => Readonly<Record<string, unknown>>;
}

/** `/healthz`: the process answers. `/readyz`: the counts are live. */
export function addHealth(app: FastifyInstance, { notReadyReason, warning, details }: Health): void {
  const anyHost = { config: { anyHost: true } };
  app.get('/healthz', anyHost, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );
  app.get('/readyz', anyHost, (_request, reply) => {
    const waitingFor = notReadyReason();
    reply.header('cache-control', 'no-store');
    // A warning is no reason to restart the server: what is shown is right.
    const more = details?.();
    if (waitingFor === undefined) return reply.send({ status: 'observing', warning: warning(), ...more });
    return reply.code(503).send({ status: 'not observing', waitingFor, ...more });
  });
}
