import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { DeskState } from '../model/desk-state.ts';
import type { SheetContext } from '../model/log/record-sheet.ts';
import { createOffsetReader } from '../../domain/time-zone.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import type { Desk } from '../flow/desk.ts';
import { eventOf } from '../../board/http/served-event.ts';
import { readWholeNumber } from './whole-number.ts';
import { endOfMinutes, logCsv, logSheet, minutesCsv, minutesSheet } from './record-files.ts';
import { RecordProver } from './record-prover.ts';
import { deskOf } from './served-desk.ts';
import { SlicedWork } from './sliced-work.ts';
import { slowJson } from './slow-json.ts';

const MAX_NAME_LENGTH = 64;

/** The event's record, to keep: its minutes and its log as CSV, and what is printed of both. */
export function addDeskRecord(app: FastifyInstance): void {
  const work = new SlicedWork();
  const prover = new RecordProver(work);

  app.get<{ Querystring: Record<string, unknown> }>('/record/minutes.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    const toMs = readWholeNumber('to', request.query['to'], endOfMinutes(state));
    return sendCsv(reply, `${fileName(state)}-minutes.csv`, work.pieces(minutesCsv(desk, toMs)));
  });

  app.get<{ Querystring: Record<string, unknown> }>('/record/log.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    const to = readWholeNumber('to', request.query['to'], state.lastSeq);
    return sendCsv(reply, `${fileName(state)}-log.csv`, work.pieces(logCsv(desk, to)));
  });

  app.get<{ Querystring: Record<string, unknown> }>('/record/minutes-excel.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    const toMs = readWholeNumber('to', request.query['to'], endOfMinutes(state));
    const sheet = minutesSheet(desk, toMs, sheetContext(request, state));
    return sendCsv(reply, `${sheetName(desk, state)}-minutos.csv`, work.pieces(sheet));
  });

  app.get<{ Querystring: Record<string, unknown> }>('/record/log-excel.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    const to = readWholeNumber('to', request.query['to'], state.lastSeq);
    const sheet = logSheet(desk, to, sheetContext(request, state));
    return sendCsv(reply, `${sheetName(desk, state)}-registro.csv`, work.pieces(sheet));
  });

  app.get('/record', async (request, reply) => {
    const desk = deskOf(request);
    // What cannot be answered at all is refused before an answer begins.
    await desk.state();
    return reply
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(Readable.from(slowJson(prover.prove(desk)), { objectMode: false }));
  });
}

function sendCsv(reply: FastifyReply, name: string, pieces: AsyncIterable<string>): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${name}"`)
    .type('text/csv; charset=utf-8; header=present')
    .send(Readable.from(pieces, { objectMode: false }));
}

/** The names are those of the page: the rows of the venue. */
function sheetContext(request: FastifyRequest, { eventId, timeZone }: DeskState): SheetContext {
  const { sectors } = eventOf(request).venue ?? DEFAULT_VENUE;
  const names = new Map(sectors.map(({ code, name }) => [code, name]));
  return { eventId, timeZone, nameOf: (code) => names.get(code) };
}

function sheetName({ source }: Desk, state: DeskState): string {
  return source === 'simulated' ? `${fileName(state)}-SIMULADO` : fileName(state);
}

/** With the day of the match, in its time zone. */
function fileName({ eventId, timeZone, times, lastMinuteMs, nowMs }: DeskState): string {
  const atMs = times.kickOffAtMs ?? lastMinuteMs ?? nowMs;
  const day = new Date(atMs + createOffsetReader(timeZone)(atMs)).toISOString().slice(0, 10);
  return `triagem-${fileNamePart(eventId)}-${day}`;
}

/** What of an ID any file system and any header takes: the ID of a Firestore document may be any text. */
function fileNamePart(eventId: string): string {
  return eventId.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, MAX_NAME_LENGTH);
}
