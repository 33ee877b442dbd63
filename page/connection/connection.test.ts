import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unhinderedNow, until } from '../../testing/until.ts';
import { MESSAGE_LATE_MS, STREAM_SILENT_MS } from '../../domain/freshness.ts';
import { liveMessageDecoder } from '../../domain/live-message.ts';
import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import { connect, type Connection } from './connection.ts';
import { countsUrl, signIn } from './sign-in.ts';
import { pageClock, UNANSWERED_MS } from '../trust/page-clock.ts';

const EVENT = '5f0c8a1de4b94b6f9a3e7c2d10b8f6a4';
const LIVE = `/api/events/${EVENT}/live`;
const HEARTBEAT = 'event: heartbeat\ndata: {"sentAtMs":1}\n\n';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const json = (value: unknown) => (response: ServerResponse) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end();
const stream = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(HEARTBEAT);
};

/** The calls of one page, answered by a real server. Each path's answers come in turn; the last one stays. */
describe('the connection of a page', () => {
  let answers: Record<string, Answer[]>;
  let calls: string[];
  let seen: string[];
  let bodies: string;
  let calledAtMs: number;
  let connection: Connection | undefined;
  let sleptMs = 0;
  let timeline: string | null;
  let isOfFormer = false;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    calls.push(`${request.method} ${path}`);
    request.on('data', (chunk: Buffer) => (bodies += chunk.toString()));
    const turn = answers[path] ?? [status(404)];
    (turn.length > 1 ? turn.shift() : turn[0])?.(response, request);
  });

  beforeEach(async () => {
    answers = {
      '/config.json': [json({ eventId: EVENT, email: 'painel@example.org', key: 'the key' })],
      '/api/sign-in': [status(204)],
      [LIVE]: [stream],
    };
    [calls, seen, bodies, sleptMs, timeline, isOfFormer] = [[], [], '', 0, null, false];
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    connection?.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function open(): Connection {
    const { port } = server.address() as AddressInfo;
    connection = connect({
      fetch: (path, init) =>
        fetch(typeof path === 'string' ? new URL(path, `http://127.0.0.1:${port}`) : path, init),
      clock: () => {
        const now = pageClock();
        return { ...now, wallMs: now.wallMs + sleptMs };
      },
      random: () => 0,
      signIn,
      streamUrl: (session, paceMs) => countsUrl(session, paceMs, timeline),
      decode: liveMessageDecoder(SECTOR_CODES),
      isOfFormer: () => isOfFormer,
      on: {
        signInFailed: () => seen.push('sign-in failed'),
        signedIn: () => seen.push('signed in') > 0,
        opened({ monotonicMs }) {
          calledAtMs = monotonicMs;
          seen.push('opened');
        },
        received: (messages) => seen.push(messages.map(({ event }) => event).join()),
        closed: () => seen.push('closed'),
      },
    });
    return connection;
  }

  it('signs in with what /config.json holds, reads the stream, and reports when it was requested', async () => {
    let answeredAtMs = 0;
    answers[LIVE] = [
      (response) => {
        answeredAtMs = performance.now();
        stream(response);
      },
    ];
    open();
    await until(() => expect(seen).toEqual(['signed in', 'opened', 'heartbeat']));
    expect(calledAtMs).toBeLessThan(answeredAtMs);
    expect(calls).toEqual(['GET /config.json', 'POST /api/sign-in', `GET ${LIVE}`]);
    expect(JSON.parse(bodies)).toEqual({ email: 'painel@example.org', key: 'the key' });
  });

  it('requests another stream, with the timeline it has seen, while a stable one counts a former primary', async () => {
    [timeline, isOfFormer] = ['9.12', true];
    let streaming: ServerResponse | undefined;
    answers[`${LIVE}?seen=9.12`] = [(response) => stream((streaming = response))];
    const { check } = open();
    await until(() => expect(seen).toContain('heartbeat'));
    for (const sentAtMs of [3_001, 6_001]) {
      check();
      sleptMs += 3_000;
      streaming?.write(HEARTBEAT.replace('1', String(sentAtMs)));
      await until(() =>
        expect(seen.filter((what) => what === 'heartbeat')).toHaveLength(sentAtMs === 3_001 ? 2 : 3),
      );
    }
    isOfFormer = false;
    check();
    expect(calls.filter((call) => call === `GET ${LIVE}?seen=9.12`)).toHaveLength(1);
    isOfFormer = true;
    check();
    await until(() => expect(seen.filter((what) => what === 'opened')).toHaveLength(2));
    expect(calls.filter((call) => call === `GET ${LIVE}?seen=9.12`)).toHaveLength(2);
    expect(seen).not.toContain('closed');
  });

  it('9: reports a failed sign-in once per run of failures, and rereads the key', async () => {
    answers['/api/sign-in'] = [status(401), status(401), status(204)];
    answers[LIVE] = [status(401), stream];
    answers['/config.json'] = [status(500), ...(answers['/config.json'] ?? [])];
    open();
    await until(() => expect(seen).toContain('heartbeat'));
    expect(seen).toEqual(['sign-in failed', 'signed in', 'closed', 'signed in', 'opened', 'heartbeat']);
    expect(calls.filter((call) => call === 'GET /config.json')).toHaveLength(5);
  });

  it('9: reports a failed sign-in again after a success', async () => {
    answers['/api/sign-in'] = [status(401), status(204), status(403), status(204)];
    answers[LIVE] = [status(401), stream];
    open();
    await until(() => expect(seen).toContain('heartbeat'));
    expect(seen.filter((what) => what === 'sign-in failed')).toHaveLength(2);
  });

  it('signs in again at once when its session has ended', async () => {
    let refusedAtMs = Infinity;
    const refuse: Answer = (response) => {
      refusedAtMs = unhinderedNow();
      status(401)(response);
    };
    answers[LIVE] = [refuse, stream];
    open();
    await until(() => expect(seen).toContain('heartbeat'));
    expect(unhinderedNow() - refusedAtMs).toBeLessThan(125);
  });

  it('8: signs in at once when the session has ended during an outage', async () => {
    const cut: Answer = (response) => response.destroy();
    answers[LIVE] = [
      (response) => (stream(response), setTimeout(() => response.destroy(), 20)),
      cut,
      cut,
      cut,
    ];
    open();
    await until(() =>
      expect(calls.filter((call) => call === `GET ${LIVE}`).length).toBeGreaterThanOrEqual(4),
    );
    let refusedAt = 0;
    answers[LIVE] = [(response) => ((refusedAt = unhinderedNow()), status(401)(response)), stream];
    await until(() => expect(seen.filter((what) => what === 'heartbeat')).toHaveLength(2));
    expect(unhinderedNow() - refusedAt).toBeLessThan(400);
    expect(calls.filter((call) => call === 'POST /api/sign-in')).toHaveLength(2);
  });

  it('waits longer and longer where each new session is refused', async () => {
    answers[LIVE] = [status(401)];
    open();
    await until(() => expect(seen.filter((what) => what === 'signed in')).toHaveLength(4));
    const startedAt = Date.now();
    await until(() => expect(seen.filter((what) => what === 'signed in')).toHaveLength(5));
    expect(Date.now() - startedAt).toBeGreaterThan(400);
  });

  it('8: comes back by itself from a stream that is cut, without signing in again', async () => {
    answers[LIVE] = [(response) => (stream(response), setTimeout(() => response.destroy(), 20)), stream];
    open();
    await until(() => expect(seen.filter((what) => what === 'heartbeat')).toHaveLength(2));
    expect(seen.slice(1)).toEqual(['opened', 'heartbeat', 'closed', 'opened', 'heartbeat']);
    expect(calls.filter((call) => call.endsWith('sign-in'))).toHaveLength(1);
  });

  describe('8: a stable stream that the server ends in order', () => {
    /** Ends a stream that was open for `openMs` by the page's clock. */
    async function endStable(openMs = 6_000): Promise<void> {
      let end: ServerResponse | undefined;
      answers[LIVE] = [(response) => (stream(response), (end = response)), ...(answers[LIVE] ?? [])];
      open();
      await until(() => expect(seen).toContain('heartbeat'));
      sleptMs = openMs;
      end?.end();
    }

    it('is followed by another at once, and its end is not reported', async () => {
      answers[LIVE] = [status(401), stream];
      await endStable();
      const startedAt = unhinderedNow();
      await until(() => expect(seen.filter((what) => what === 'heartbeat')).toHaveLength(2));
      expect(unhinderedNow() - startedAt).toBeLessThan(500);
      expect(seen).toEqual(['signed in', 'opened', 'heartbeat', 'signed in', 'opened', 'heartbeat']);
      await new Promise((resolve) => setTimeout(resolve, 1_600));
      expect(seen).not.toContain('closed');
    });

    it('has its end reported as soon as the next attempt fails', async () => {
      answers[LIVE] = [status(503)];
      await endStable();
      await until(() => expect(seen.at(-1)).toBe('closed'));
    });

    it('has its end reported as soon as the sign-in fails', async () => {
      answers[LIVE] = [status(401)];
      answers['/api/sign-in'] = [status(204), status(500)];
      await endStable();
      await until(() => expect(seen).toContain('closed'));
      expect(seen.indexOf('closed')).toBeLessThan(seen.indexOf('sign-in failed'));
    });

    it('has its end reported when nobody answers', async () => {
      answers[LIVE] = [() => {}];
      await endStable();
      await until(() => expect(seen.at(-1)).toBe('closed'));
    });

    it('is not stable when it was short: its end is reported, and the next comes after a pause', async () => {
      await endStable(1_000);
      await until(() => expect(seen.filter((what) => what === 'heartbeat')).toHaveLength(2));
      expect(seen).toContain('closed');
    });
  });

  it('waits as long as Retry-After says', async () => {
    answers[LIVE] = [status(503, { 'retry-after': '1' }), stream];
    const startedAt = Date.now();
    open();
    await until(() => expect(seen).toContain('heartbeat'));
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1000);
  });

  it('8: abandons a stream that has been silent for five seconds, asleep or awake', async () => {
    const { check } = open();
    await until(() => expect(seen).toContain('heartbeat'));
    check();
    sleptMs = STREAM_SILENT_MS + 1;
    check();
    await until(() => expect(seen.slice(3)).toEqual(['closed', 'opened', 'heartbeat']));
  });

  describe('8: replaces a stream whose messages come late by one with fewer frames', () => {
    const UNDER_WAY_MS = MESSAGE_LATE_MS + 100;
    let streams: ServerResponse[];
    const heartbeats = (count: number): Promise<void> =>
      until(() => expect(seen.filter((what) => what === 'heartbeat')).toHaveLength(count));
    const beat = (sentAtMs: number): void =>
      void streams.at(-1)?.write(`event: heartbeat\ndata: {"sentAtMs":${sentAtMs}}\n\n`);
    const opened = ['opened', 'heartbeat', 'heartbeat'];

    beforeEach(() => {
      streams = [];
      const keep: Answer = (response) => (stream(response), streams.push(response));
      for (const path of [LIVE, `${LIVE}?pace=500`, `${LIVE}?pace=1000`]) answers[path] = [keep];
    });

    it('passes the late one on, and does not report its end', async () => {
      open();
      for (const nth of [1, 2, 3]) {
        await heartbeats(3 * nth - 2);
        // Four seconds go by on both sides; then four, of which the message was under way for more than two.
        for (const [count, sentAtMs] of [4_001, 8_001 - UNDER_WAY_MS].entries()) {
          sleptMs += 4_000;
          beat(sentAtMs);
          if (count === 0) await heartbeats(3 * nth - 1);
        }
      }
      await until(() => expect(calls).toContain(`GET ${LIVE}?pace=1500`));
      const each = [...opened, 'heartbeat'];
      expect(seen.slice(0, 13)).toEqual(['signed in', ...each, ...each, ...each]);
    });

    const endYoung = async (): Promise<void> => {
      open();
      await heartbeats(1);
      sleptMs += UNDER_WAY_MS;
      beat(1);
      await heartbeats(3);
    };

    it('does not report the end of a young one either', async () => {
      await endYoung();
      expect(seen).toEqual(['signed in', ...opened, 'opened', 'heartbeat']);
    });

    it('asks for the next one again soon', async () => {
      answers[`${LIVE}?pace=500`]?.unshift(() => {});
      const fromMs = unhinderedNow();
      await endYoung();
      expect(unhinderedNow() - fromMs).toBeLessThan(2_500);
    });

    it('passes nothing on where the first one is late', async () => {
      answers[LIVE] = [(response) => ((sleptMs += UNDER_WAY_MS), stream(response))];
      open();
      await heartbeats(1);
      expect(seen).toEqual(['signed in', 'closed', 'opened', 'heartbeat']);
    });
  });

  it('8: does not count the time of the server’s answer as a delay of the link', async () => {
    answers[LIVE] = [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        sleptMs = 4_000;
        response.write('event: heartbeat\ndata: {"sentAtMs":5000,"receivedAtMs":1000}\n\n');
      },
    ];
    open();
    await until(() => expect(seen).toEqual(['signed in', 'opened', 'heartbeat']));
  });

  it('abandons a sign-in that nobody answers', async () => {
    answers['/config.json'] = [() => {}, ...(answers['/config.json'] ?? [])];
    const { check } = open();
    await until(() => expect(calls).toHaveLength(1));
    sleptMs = UNANSWERED_MS + 1;
    check();
    await until(() => expect(seen).toContain('heartbeat'));
  });

  it('is quiet once stopped', async () => {
    const { stop } = open();
    await until(() => expect(seen).toContain('heartbeat'));
    stop();
    await until(() => expect(seen.at(-1)).toBe('closed'));
    const before = calls.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(calls).toHaveLength(before);
  });
});
