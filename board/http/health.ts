import type { FastifyInstance } from 'fastify';

export interface Health {
  /** Returns why the counts are not live; `undefined` while they are. */
  readonly notReadyReason: () => string | undefined;
  /** Returns what an operator should look into although the counts are live. */
  readonly warning: () => string | undefined;
  /** Returns further fields of `/readyz`, whether it is ready or not. */
  readonly details?: () => Readonly<Record<string, unknown>>;
}

/** Adds `/healthz`, which succeeds while the process answers, and `/readyz`, which succeeds while the counts are live. */
export function addHealth(app: FastifyInstance, { notReadyReason, warning, details }: Health): void {
  const anyHost = { config: { anyHost: true } };
  app.get('/healthz', anyHost, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );
  app.get('/readyz', anyHost, (_request, reply) => {
    const waitingFor = notReadyReason();
    reply.header('cache-control', 'no-store');
    // A server with a warning is still ready: its counts are right, and a restart would not help.
    const more = details?.();
    if (waitingFor === undefined) return reply.send({ status: 'observing', warning: warning(), ...more });
    return reply.code(503).send({ status: 'not observing', waitingFor, ...more });
  });
}
