import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from '../../board/http/problem.ts';

/**
 * An `onRequest` hook: only a page of this very origin may write. Browsers name a page's origin in every POST that it makes
 * with fetch (in mode "cors", the default: another mode would hide it, as the pages send no referrer).
 */
export async function requireOwnOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  if (request.method === 'GET' || request.headers.origin === ownOrigin(request)) return undefined;
  return sendProblem(reply, 403, 'only a page of this address may write; is the proxy named in TRUST_PROXY?');
}

/** As browsers write it: without the port that the scheme implies. `null`, which is nobody's: its host is none. */
function ownOrigin({ protocol, host }: FastifyRequest): string | null {
  const url = `${protocol}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : null;
}
