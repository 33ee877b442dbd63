import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MAX_WEBHOOK_BYTES } from '../limits.ts';
import { receiveBytes } from '../receive-bytes.ts';
import { Refusal } from '../refusal.ts';

/** The unparsed body of a webhook. Its bytes count as held until `release`. */
export interface WebhookBody {
  readonly bytes: Buffer;
  release(): void;
}

/** Lets the routes of `app` read JSON as bytes: a signature is of these. */
export function parseAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    (request: { headers: IncomingHttpHeaders }, stream: IncomingMessage) =>
      readBytes(stream, request.headers),
  );
  app.addContentTypeParser('*', async () => {
    throw new Refusal(415, 'The body of a webhook must be application/json.');
  });
}

async function readBytes(stream: IncomingMessage, headers: IncomingHttpHeaders): Promise<WebhookBody> {
  const chunks: Buffer[] = [];
  const release = await receiveBytes(stream, headers, MAX_WEBHOOK_BYTES, (chunk) => chunks.push(chunk));
  return { bytes: Buffer.concat(chunks), release };
}

/** @throws Refusal of what is no JSON object. */
export function parseWebhook(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = isUtf8(bytes) ? JSON.parse(bytes.toString()) : undefined;
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(422, 'The body is no JSON object.');
  }
  return value as Record<string, unknown>;
}
