import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { DeskState } from '../model/desk-state.ts';
import { FieldError } from '../model/log/fields.ts';
import type { SheetContext } from '../model/log/record-sheet.ts';
import { MINUTE_MS } from '../model/series/minute.ts';
import { createOffsetReader } from '../../domain/time-zone.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import type { Desk } from '../flow/desk.ts';
import { eventOf } from '../../board/http/served-event.ts';
import { readWholeNumber } from './whole-number.ts';
import { inBatches, logCsv, logSheet, minutesCsv, minutesSheet, type Pages, sha256 } from './record-files.ts';
import { deskOf } from './served-desk.ts';
import { createHash } from 'node:crypto';
import type { RecordProof } from '../model/log/record-proof.ts';

const MAX_NAME_LENGTH = 64;

/** A desk exports no longer log: it takes about a second of a processor (docs/record.md). */
const MAX_LOG_ROWS = 20_000;

type WithTo = { readonly Querystring: Record<string, unknown> };

/** Serves the event's record: its minutes and its log as CSV, and the proof for the printed one. */
export function addDeskRecord(app: FastifyInstance): void {
  app.get<WithTo>('/record/minutes.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    return sendCsv(reply, `${fileName(state)}-minutes.csv`, minutesCsv(desk, readToMs(request.query, state)));
  });

  app.get<WithTo>('/record/log.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    return sendCsv(reply, `${fileName(state)}-log.csv`, logCsv(desk, readToSeq(request.query, state)));
  });

  app.get<WithTo>('/record/minutes-excel.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    const sheet = minutesSheet(desk, readToMs(request.query, state), sheetContext(request, state));
    return sendCsv(reply, `${sheetName(desk, state)}-minutos.csv`, sheet);
  });

  app.get<WithTo>('/record/log-excel.csv', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    const sheet = logSheet(desk, readToSeq(request.query, state), sheetContext(request, state));
    return sendCsv(reply, `${sheetName(desk, state)}-registro.csv`, sheet);
  });

  app.get('/record', async (request, reply) => {
    const desk = deskOf(request);
    const state = await desk.state();
    const end = { toMs: readToMs({}, state), toSeq: readToSeq({}, state) };
    return reply.header('cache-control', 'no-store').send(await proveRecord(desk, state, end));
  });
}

/** The default is the end of the newest minute; 0 before the first. */
function readToMs({ to }: Record<string, unknown>, { lastMinuteMs }: DeskState): number {
  return readWholeNumber('to', to, lastMinuteMs === null ? 0 : lastMinuteMs + MINUTE_MS);
}

/** @throws FieldError if that is a longer log than a desk exports */
function readToSeq({ to }: Record<string, unknown>, { lastSeq }: DeskState): number {
  const seq = readWholeNumber('to', to, lastSeq);
  if (Math.min(seq, lastSeq) <= MAX_LOG_ROWS) return seq;
  throw new FieldError(
    'to',
    `give at most ${MAX_LOG_ROWS}: \`npm run -s gates -- record export --log\` exports the whole log`,
  );
}

function sendCsv(reply: FastifyReply, name: string, pages: Pages): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${name}"`)
    .type('text/csv; charset=utf-8; header=present')
    .send(Readable.from(textOf(pages), { objectMode: false }));
}

async function* textOf(pages: Pages): AsyncGenerator<string> {
  for await (const lines of inBatches(pages)) yield lines.join('');
}

/** The names of the rows are those on the page. */
function sheetContext(request: FastifyRequest, { eventId, timeZone }: DeskState): SheetContext {
  const { sectors } = eventOf(request).venue ?? DEFAULT_VENUE;
  const names = new Map(sectors.map(({ code, name }) => [code, name]));
  return { eventId, timeZone, nameOf: (code) => names.get(code) };
}

function sheetName({ source }: Desk, state: DeskState): string {
  return source === 'simulated' ? `${fileName(state)}-SIMULADO` : fileName(state);
}

/** Names a file by the event and the day of the match, in its time zone. */
function fileName({ eventId, timeZone, times, lastMinuteMs, nowMs }: DeskState): string {
  const atMs = times.kickOffAtMs ?? lastMinuteMs ?? nowMs;
  const day = new Date(atMs + createOffsetReader(timeZone)(atMs)).toISOString().slice(0, 10);
  return `triagem-${fileNamePart(eventId)}-${day}`;
}

/** Replaces what file systems and headers may refuse: the ID of a Firestore document may be any text. */
function fileNamePart(eventId: string): string {
  return eventId.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, MAX_NAME_LENGTH);
}

/** Hashes both files of the record up to the minute `toMs` and the row `toSeq`. */
async function proveRecord(
  desk: Desk,
  state: DeskState,
  { toMs, toSeq }: { readonly toMs: number; readonly toSeq: number },
): Promise<RecordProof> {
  let lastLink: string | null = null;
  const log = logCsv(desk, toSeq, (text) => (lastLink = sha256(text)));
  return {
    state,
    source: desk.source,
    minutes: { to: toMs, ...(await hashFile(minutesCsv(desk, toMs))) },
    log: { to: toSeq, ...(await hashFile(log)), lastLink },
  };
}

async function hashFile(pages: Pages): Promise<{ readonly lines: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const lines of inBatches(pages)) {
    hash.update(lines.join(''));
    count += lines.length;
  }
  // The header is no line of the record.
  return { lines: count - 1, sha256: hash.digest('hex') };
}
