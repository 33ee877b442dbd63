import type { FastifyInstance } from 'fastify';
import { toHistory } from '../../../domain/flow/history.ts';
import type { Desk } from '../../flow/desk.ts';
import { FieldError, readWholeNumber } from './fields.ts';

/** So much is encoded without holding up the wall. */
const MAX_HISTORY_MS = 6 * 60 * 60 * 1_000;

const MAX_LOG_ROWS = 500;

/** What a desk reads once: minutes, and the log. */
export function addDeskReads(app: FastifyInstance, desk: Desk): void {
  app.get<{ Querystring: Record<string, unknown> }>('/history', (request, reply) => {
    const fromMs = readWholeNumber('from', request.query['from']);
    const toMs = readWholeNumber('to', request.query['to']);
    if (toMs - fromMs > MAX_HISTORY_MS) throw new FieldError('to', 'give at most six hours after "from"');
    return reply
      .header('cache-control', 'no-store')
      .send(toHistory(desk.minutes(fromMs, toMs), desk.sectors));
  });

  app.get<{ Querystring: Record<string, unknown> }>('/log', (request, reply) => {
    const rows = desk.log(readWholeNumber('after', request.query['after'], 0));
    return reply
      .header('cache-control', 'no-store')
      .send({ rows: rows.slice(0, MAX_LOG_ROWS), hasMore: rows.length > MAX_LOG_ROWS });
  });
}
