import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from '../../board/http/problem.ts';

/**
 * An `onRequest` hook: only pages of this origin may write. Browsers send a page's origin with every POST by fetch in mode
 * "cors", the default; another mode would hide it, as the pages send no referrer.
 */
export async function requireOwnOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  if (request.method === 'GET' || request.headers.origin === ownOrigin(request)) return undefined;
  return sendProblem(reply, 403, 'only a page of this address may write; is the proxy named in TRUST_PROXY?');
}

/** Returns the origin as browsers write it, without the scheme's default port; `null` for an invalid host. */
function ownOrigin({ protocol, host }: FastifyRequest): string | null {
  const url = `${protocol}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : null;
}
