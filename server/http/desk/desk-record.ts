import type { FastifyInstance, FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { createOffsetReader } from '../../../domain/time-zone.ts';
import type { Desk } from '../../flow/desk.ts';
import { readWholeNumber } from './fields.ts';
import { endOfMinutes, logCsv, minutesCsv } from './record-files.ts';
import { createProver } from './record-prover.ts';
import { SlicedWork } from './sliced-work.ts';
import { slowJson } from './slow-json.ts';

/** The event's record, to keep: its minutes and its log as CSV, and what is printed of both. */
export function addDeskRecord(app: FastifyInstance, desk: Desk): void {
  const work = new SlicedWork();
  const prove = createProver(desk, work);

  app.get<{ Querystring: Record<string, unknown> }>('/record/minutes.csv', (request, reply) => {
    const toMs = readWholeNumber('to', request.query['to'], endOfMinutes(desk));
    return sendCsv(reply, `${fileName(desk)}-minutes.csv`, work.pieces(minutesCsv(desk, toMs)));
  });

  app.get<{ Querystring: Record<string, unknown> }>('/record/log.csv', (request, reply) => {
    const to = readWholeNumber('to', request.query['to'], desk.state().lastSeq);
    return sendCsv(reply, `${fileName(desk)}-log.csv`, work.pieces(logCsv(desk, to)));
  });

  app.get('/record', (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(Readable.from(slowJson(prove()), { objectMode: false })),
  );
}

function sendCsv(reply: FastifyReply, name: string, pieces: AsyncIterable<string>): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${name}"`)
    .type('text/csv; charset=utf-8; header=present')
    .send(Readable.from(pieces, { objectMode: false }));
}

/** With the day of the match, in its time zone. */
function fileName(desk: Desk): string {
  const { eventId, timeZone, times, lastMinuteMs, nowMs } = desk.state();
  const atMs = times.kickOffAtMs ?? lastMinuteMs ?? nowMs;
  const day = new Date(atMs + createOffsetReader(timeZone)(atMs)).toISOString().slice(0, 10);
  return `triagem-${eventId}-${day}`;
}
