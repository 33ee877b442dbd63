import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { errorCode, errorMessage } from '../cli/errors.ts';
import type { EventSummary } from '../events/event-summary.ts';
import { formatEventTime } from '../events/event-time.ts';
import { type Finding, look, ok, stops } from './finding.ts';

const DAY_MS = 86_400_000;
const ENDS_SOON_DAYS = 7;
const ANSWER_LIMIT_MS = 5_000;
/** PostgreSQL's SSLRequest, and its positive answer. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const SSL_ACCEPTED = 'S';

/** When the certificates are looked at, and until when they are needed. */
interface Times extends Pick<EventSummary, 'gatesOpenAt' | 'kickOffAt'> {
  readonly nowMs: number;
  readonly zone: string;
}

/** What OpenSSL and Node call a certificate that no authority known here has signed. */
const UNTRUSTED: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'is of an authority that this machine does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is of an authority that this machine does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes without the certificates between it and its authority',
};

/** What OpenSSL makes of an answer in plain text. */
const PLAIN_TEXT: ReadonlySet<string> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/**
 * Finds the certificate of an `https://` or a `postgres://` address, and the status of the page. Of a database only the
 * dates matter, as its clients check the trust; one without TLS has none.
 */
export async function findAddress(
  url: URL,
  times: Times,
  answerLimitMs = ANSWER_LIMIT_MS,
): Promise<Finding[]> {
  const signal = AbortSignal.timeout(answerLimitMs);
  let socket: TLSSocket | undefined;
  try {
    socket = await openTls(url, signal);
    if (!socket) return [];
    const certificate = findCertificate(socket, url, times);
    return url.protocol === 'https:' ? [...certificate, await findPage(socket, url, signal)] : certificate;
  } catch (error) {
    return [
      url.protocol === 'https:'
        ? findFailure(url, error)
        : look('certificate', `that of ${url.host} cannot be seen: ${describeFailure(error)}`),
    ];
  } finally {
    socket?.destroy();
  }
}

function findCertificate(
  socket: TLSSocket,
  url: URL,
  { nowMs, zone, gatesOpenAt, kickOffAt }: Times,
): Finding[] {
  const endsAt = new Date(socket.getPeerCertificate().valid_to);
  const ends = `that of ${url.host} ends on ${formatEventTime(endsAt, zone)} (${zone})`;
  if (endsAt.getTime() <= nowMs) return [stops('certificate', `${ends}, which is over: renew it`)];
  const beginsAt = kickOffAt ?? gatesOpenAt;
  const before = kickOffAt ? 'kick-off' : 'the gates open';
  const days = Math.floor((endsAt.getTime() - nowMs) / DAY_MS);
  const wrong = [
    ...(url.protocol === 'https:' ? refusalsOf(socket, url) : []),
    ...(beginsAt && endsAt <= beginsAt
      ? [stops('certificate', `${ends}, before ${before}: renew it`)]
      : days < ENDS_SOON_DAYS
        ? [look('certificate', `${ends}: renew it`)]
        : []),
  ];
  return wrong.length > 0 ? wrong : [ok('certificate', ends)];
}

async function findPage(socket: TLSSocket, url: URL, signal: AbortSignal): Promise<Finding> {
  try {
    const path = `${url.pathname}${url.search}`;
    const asking = request({
      createConnection: () => socket,
      path,
      headers: { host: url.host },
      signal,
    }).end();
    const [{ statusCode = 0, statusMessage = '' }] = (await once(asking, 'response')) as [IncomingMessage];
    const answers = `${url.href} answers ${statusCode} ${statusMessage}`.trimEnd();
    if (statusCode >= 500)
      return stops(
        'page',
        `${answers}: what is behind the proxy does not answer it; start it, or correct its address there`,
      );
    return statusCode >= 400
      ? look('page', `${answers}: correct the address; "listen" has a page at /healthz`)
      : ok('page', answers);
  } catch (error) {
    return findFailure(url, error);
  }
}

/** Returns why browsers refuse the certificate; none where they take it. */
function refusalsOf(socket: TLSSocket, url: URL): Finding[] {
  if (socket.authorized) return [];
  const { host, hostname } = url;
  // Node's types have an Error, its sockets a code.
  const { authorizationError } = socket;
  const code = String((authorizationError as { code?: string }).code ?? authorizationError);
  // Of a certificate that is not trusted, Node does not look at the names.
  const isForOthers = tls.checkServerIdentity(hostOf(url), socket.getPeerCertificate()) !== undefined;
  return [
    ...(isForOthers
      ? [
          stops(
            'certificate',
            `that of ${host} is for other names, so browsers refuse it: get one for ${hostname}`,
          ),
        ]
      : []),
    ...(code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? [] : [untrusted(code, host)]),
  ];
}

function untrusted(code: string, host: string): Finding {
  if (code === 'CERT_NOT_YET_VALID')
    return stops(
      'certificate',
      `that of ${host} begins in the future: set the clock that is wrong, or renew it`,
    );
  return look(
    'certificate',
    `that of ${host} ${UNTRUSTED[code] ?? `is not trusted here (${code})`}, and browsers refuse it unless they know its ` +
      'authority: let the proxy send the whole chain ("fullchain.pem") of a known one, or install it on each screen ' +
      'and here (docs/install.md)',
  );
}

function findFailure(url: URL, error: unknown): Finding {
  if (PLAIN_TEXT.has(errorCode(error) ?? ''))
    return look('page', `what answers at ${url.host} has no TLS: name the address of the proxy that has`);
  return stops('page', `${url.href} does not answer: ${describeFailure(error)}: ${fixOf(error, url)}`);
}

function fixOf(error: unknown, { hostname }: URL): string {
  switch (errorCode(error)) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `correct the address, or the entry of ${hostname} in the DNS of this network`;
    case 'ECONNREFUSED':
      return 'start the proxy there, or correct the address';
    default:
      return 'see to the proxy and to the firewall before it, or correct the address';
  }
}

function describeFailure(error: unknown): string {
  return (error as Error).name === 'AbortError' ? 'no answer comes' : errorMessage(error);
}

async function openTls(url: URL, signal: AbortSignal): Promise<TLSSocket | undefined> {
  const isDatabase = url.protocol !== 'https:';
  const host = hostOf(url);
  const socket = connectSocket({ host, port: Number(url.port || (isDatabase ? 5_432 : 443)) });
  try {
    await once(socket, 'connect', { signal });
    if (isDatabase && !(await acceptsTls(socket, signal))) {
      socket.destroy();
      return undefined;
    }
    const servername = isIP(host) ? '' : host;
    const secured = tls.connect({
      socket,
      host,
      servername,
      ca: knownAuthorities(),
      rejectUnauthorized: false,
    });
    await once(secured, 'secureConnect', { signal });
    return secured;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Includes what is installed on this machine. A Node before 22.15 knows its own alone: undefined. */
function knownAuthorities(): string[] | undefined {
  const { getCACertificates: read }: Partial<typeof tls> = tls;
  return read && [...read('default'), ...read('system')];
}

async function acceptsTls(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  return answer.toString('latin1') === SSL_ACCEPTED;
}
