import type { FastifyInstance } from 'fastify';
import { toHistory } from '../model/series/history.ts';
import { FieldError } from '../model/log/fields.ts';
import { deskOf } from './served-desk.ts';
import { readWholeNumber } from './whole-number.ts';

/** Encoding this much does not delay the walls. */
const MAX_HISTORY_MS = 6 * 60 * 60 * 1_000;

const MAX_LOG_ROWS = 500;

/** Serves what a desk reads once: minutes, the usual curve, and the log. */
export function addDeskReads(app: FastifyInstance): void {
  app.get<{ Querystring: Record<string, unknown> }>('/history', async (request, reply) => {
    const desk = deskOf(request);
    const fromMs = readWholeNumber('from', request.query['from']);
    const toMs = readWholeNumber('to', request.query['to']);
    if (toMs - fromMs > MAX_HISTORY_MS) throw new FieldError('to', 'give at most six hours after "from"');
    const minutes = await desk.minutes(fromMs, toMs);
    return reply.header('cache-control', 'no-store').send(toHistory(minutes, desk.sectors));
  });

  app.get<{ Querystring: Record<string, unknown> }>('/usual', async (request, reply) => {
    const desk = deskOf(request);
    const usual = await desk.usualCurve(readPlace(desk.sectors, request.query['sector']));
    return reply.header('cache-control', 'no-store').send({ usual });
  });

  app.get<{ Querystring: Record<string, unknown> }>('/log', async (request, reply) => {
    const desk = deskOf(request);
    const rows = await desk.log(readWholeNumber('after', request.query['after'], 0), MAX_LOG_ROWS + 1);
    return reply
      .header('cache-control', 'no-store')
      .send({ rows: rows.slice(0, MAX_LOG_ROWS), hasMore: rows.length > MAX_LOG_ROWS });
  });
}

/** Returns the index of the sector with that code, '' for the others; undefined without a code. */
function readPlace(codes: readonly string[], code: unknown): number | undefined {
  if (code === undefined) return undefined;
  const place = codes.findIndex((own) => own === code);
  if (place === -1) throw new FieldError('sector', 'give the code of a row, or nothing for the others');
  return place;
}
