import { once } from 'node:events';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { errorCode, errorMessage } from '../cli/errors.ts';
import { type Finding, look, ok, stops } from './finding.ts';

const DAY_MS = 86_400_000;
const ENDS_SOON_DAYS = 7;
const ANSWER_LIMIT_MS = 5_000;
/** PostgreSQL's SSLRequest, and its positive answer. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const SSL_ACCEPTED = 'S';

/** Takes an `https://` or a `postgres://` address. Returns undefined for a database without TLS. */
export async function findCertificate(
  url: URL,
  nowMs: number,
  answerLimitMs = ANSWER_LIMIT_MS,
): Promise<Finding | undefined> {
  let socket: TLSSocket | undefined;
  try {
    socket = await openTls(url, AbortSignal.timeout(answerLimitMs));
    if (!socket) return undefined;
    const endsAtMs = Date.parse(socket.getPeerCertificate().valid_to);
    const days = Math.floor((endsAtMs - nowMs) / DAY_MS);
    const ends = `that of ${url.host} ends on ${new Date(endsAtMs).toISOString().slice(0, 10)}`;
    if (endsAtMs <= nowMs) return stops('certificate', `${ends}, which is over: renew it`);
    if (days < ENDS_SOON_DAYS) return look('certificate', `${ends}: renew it`);
    return ok('certificate', ends);
  } catch (error) {
    return look('certificate', `that of ${url.host} cannot be seen: ${describeFailure(error)}`);
  } finally {
    socket?.destroy();
  }
}

function describeFailure(error: unknown): string {
  if ((error as Error).name === 'AbortError') return 'no answer comes';
  // What OpenSSL makes of an answer in plain text.
  return errorCode(error) === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    errorCode(error) === 'ERR_SSL_PACKET_LENGTH_TOO_LONG'
    ? 'what answers there has no TLS; name the address of the proxy that has'
    : errorMessage(error);
}

async function openTls(url: URL, signal: AbortSignal): Promise<TLSSocket | undefined> {
  const isDatabase = url.protocol !== 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const socket = connectSocket({ host, port: Number(url.port || (isDatabase ? 5_432 : 443)) });
  try {
    await once(socket, 'connect', { signal });
    if (isDatabase && !(await acceptsTls(socket, signal))) {
      socket.destroy();
      return undefined;
    }
    // Only the dates matter here: clients check the trust.
    const tls = connectTls({ socket, servername: isIP(host) ? '' : host, rejectUnauthorized: false });
    await once(tls, 'secureConnect', { signal });
    return tls;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function acceptsTls(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  return answer.toString('latin1') === SSL_ACCEPTED;
}
