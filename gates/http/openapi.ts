import { MAX_ID_BYTES, MAX_SECTOR_BYTES } from '../import/csv/ticket-line.ts';
import { CLOCK_TOLERANCE_MS, MAX_LISTED_ERRORS, MAX_LISTED_WITHOUT_EFFECT, MAX_MESSAGES } from './limits.ts';
import { KEPT_WORDS } from './request-outcome.ts';
import { MAX_GATE_BYTES } from './ticket-message.ts';

const COUNT = { type: 'integer', minimum: 0 };
const NUMBER = { type: 'integer', minimum: 1 };

/** An object without other properties; by default all are required. */
function closed(properties: object, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', required, additionalProperties: false, properties };
}

const ABOUT_MESSAGE = {
  message: { ...NUMBER, description: 'Which of the body.' },
  line: { ...NUMBER, description: 'The line of the body in which it begins.' },
  id: { type: 'string' },
  detail: {
    type: 'string',
    description: `Why it was refused, or is kept: ${Object.values(KEPT_WORDS).join('; ')}.`,
  },
};

const SCHEMAS = {
  TicketMessage: {
    description: 'What is so of a ticket. Only what is there is changed; null is the same as not there.',
    type: 'object',
    required: ['id'],
    anyOf: [
      { required: ['isValidTicket'], properties: { isValidTicket: { type: 'boolean' } } },
      { required: ['entrou'], properties: { entrou: { type: 'boolean' } } },
      { required: ['setor'], properties: { setor: { type: 'string' } } },
    ],
    additionalProperties: false,
    properties: {
      id: {
        description: `The ticket, as the gates know it: up to ${MAX_ID_BYTES} bytes of UTF-8.`,
        type: 'string',
        minLength: 1,
        maxLength: MAX_ID_BYTES,
      },
      isValidTicket: { type: ['boolean', 'null'], description: 'Of a ticket that is created: true.' },
      entrou: {
        type: ['boolean', 'null'],
        description: 'Whether its holder is in. Of a ticket that is created: false.',
      },
      setor: {
        description: `The code of its sector, compared exactly: up to ${MAX_SECTOR_BYTES} bytes of UTF-8, not blanks alone.`,
        type: ['string', 'null'],
        pattern: '\\S',
        maxLength: MAX_SECTOR_BYTES,
      },
      gate: {
        description: `Where it was read, for "gates -- kept": up to ${MAX_GATE_BYTES} bytes of UTF-8.`,
        type: ['string', 'null'],
        maxLength: MAX_GATE_BYTES,
      },
      at: {
        description:
          'When it was so, with an offset, to the microsecond. A message older than the last one applied ' +
          `to the ticket with the same field changes nothing of it. One that is more than ${CLOCK_TOLERANCE_MS / 1_000} s ahead of the server's ` +
          'clock counts as of its arrival.',
        type: ['string', 'null'],
        format: 'date-time',
        maxLength: 64,
      },
    },
  },
  Summary: {
    description:
      'What was done: every message is one of applied, created, unchanged, older, kept and refused.',
    ...closed({
      messages: COUNT,
      applied: { ...COUNT, description: 'Changed a ticket.' },
      created: { ...COUNT, description: 'Created a ticket.' },
      unchanged: { ...COUNT, description: 'The ticket was so already.' },
      older: {
        ...COUNT,
        description: 'Older than the last one applied to the ticket, or applied before, and not so any more.',
      },
      kept: { ...COUNT, description: 'Waits for its ticket, and is applied when that comes.' },
      refused: {
        ...COUNT,
        description: 'Wrong, or refused by the database: sent again, it changes nothing.',
      },
      ahead: {
        ...COUNT,
        description: `Of them all: how many had a time more than ${CLOCK_TOLERANCE_MS / 1_000} s ahead of the server's clock.`,
      },
      withoutEffect: {
        description: `Those that changed nothing: the first ${MAX_LISTED_WITHOUT_EFFECT} of the refused, kept, older and unchanged ones, in this order.`,
        type: 'array',
        maxItems: MAX_LISTED_WITHOUT_EFFECT,
        items: closed(
          {
            ...ABOUT_MESSAGE,
            outcome: { enum: ['refused', 'kept', 'older', 'unchanged'] },
            lastAt: {
              type: 'string',
              format: 'date-time',
              description: 'Of an older one: no newer than this.',
            },
          },
          ['message', 'line', 'outcome'],
        ),
      },
      withoutEffectOmitted: { ...COUNT, description: 'How many more of them there were.' },
    }),
  },
  Problem: {
    description: 'Why nothing was changed (RFC 9457).',
    ...closed(
      {
        type: { const: 'about:blank' },
        title: { type: 'string' },
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: { type: 'string' },
        errorCount: {
          ...NUMBER,
          description: 'How many messages are bad.',
        },
        errors: {
          description: `The first ${MAX_LISTED_ERRORS} of them.`,
          type: 'array',
          maxItems: MAX_LISTED_ERRORS,
          items: closed(ABOUT_MESSAGE, ['message', 'line', 'detail']),
        },
      },
      ['type', 'title', 'status', 'detail'],
    ),
  },
  Health: closed(
    {
      status: { type: 'string' },
      waitingFor: { type: 'string' },
      databaseId: {
        type: 'string',
        description:
          'Of /readyz: another database has another one, and the same one after a restart. It is no secret.',
      },
      warning: {
        type: 'string',
        description:
          'Since when and why pretix cannot be asked, which clocks differ, who sent the last message, or request, that was refused, and ' +
          'what is wrong with it, which events that readings name do not exist, and what is wrong with hosts that are not written to.',
      },
    },
    ['status'],
  ),
} as const;

function ref(name: keyof typeof SCHEMAS) {
  return { $ref: `#/components/schemas/${name}` };
}

function problem(description: string, headers: Readonly<Record<string, unknown>> = {}) {
  return { description, headers, content: { 'application/problem+json': { schema: ref('Problem') } } };
}

function health(description: string) {
  return { description, content: { 'application/json': { schema: ref('Health') } } };
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds.', required: true, schema: { type: 'integer', minimum: 0 } },
};

/** The document at /openapi.json. openapi.pg.test.ts compares it with what the server does. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Triagem: tickets in',
    version: '1',
    description: 'Turnstiles and ticketing systems report here what becomes of tickets.',
  },
  paths: {
    '/events/{eventId}/tickets': {
      post: {
        operationId: 'writeTickets',
        summary: 'Updates tickets: all good messages of the body in one commit.',
        description:
          'Answered after the commit, with what became of each message: a bad one harms no other, and one of a ticket that is ' +
          'not there is kept until it comes. Sending the same again does no harm. A body is 16 MB and ' +
          `${MAX_MESSAGES} messages at most, and is not compressed.`,
        security: [{ key: [] }],
        parameters: [
          {
            name: 'eventId',
            in: 'path',
            required: true,
            schema: { type: 'string', pattern: '^[0-9a-fA-F]{32}$' },
          },
          {
            name: 'create',
            in: 'query',
            description: 'Whether unknown ids become tickets, where the message has their setor.',
            schema: { type: 'boolean', default: false },
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                oneOf: [ref('TicketMessage'), { type: 'array', items: ref('TicketMessage') }],
              },
              example: { id: 'A-0001', entrou: true, at: '2025-03-26T20:15:00.123-03:00' },
            },
            'application/x-ndjson': {
              schema: { type: 'string', description: 'A TicketMessage in each line.' },
              example: '{"id":"A-0001","entrou":true}\n{"id":"A-0002","entrou":true}\n',
            },
          },
        },
        responses: {
          '200': {
            description: 'It is committed.',
            content: { 'application/json': { schema: ref('Summary') } },
          },
          '400': problem('The request is no good HTTP, or its query is wrong.'),
          '401': problem('No key, or a wrong one.', {
            'WWW-Authenticate': { required: true, schema: { type: 'string' } },
          }),
          '404': problem('The path names no event: an event ID is 32 hexadecimal characters.'),
          '409': problem('The database refuses each message: each is named.'),
          '413': problem(`The body is larger than 16 MB, or has more than ${MAX_MESSAGES} messages.`),
          '415': problem('The body is neither JSON nor NDJSON, or is compressed.'),
          '422': problem('Each message is wrong: each is named.'),
          '429': problem('Too many wrong keys from this address.', RETRY_AFTER),
          '500': problem('A fault of the server.'),
          '503': problem(
            'Nothing can be written now, or it is not known whether it was: send it again.',
            RETRY_AFTER,
          ),
        },
      },
    },
    '/healthz': { get: { operationId: 'isAlive', security: [], responses: { '200': health('It runs.') } } },
    '/readyz': {
      get: {
        operationId: 'isReady',
        security: [],
        responses: {
          '200': health('Tickets can be written.'),
          '503': health('They cannot, or one could not within the last 30 s; waitingFor has the reason.'),
        },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'GATES_HTTP_KEY' } },
    schemas: SCHEMAS,
  },
} as const;
