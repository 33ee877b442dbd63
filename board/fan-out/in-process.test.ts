import { createServer, connect, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CountsSlice, DocumentsSlice } from '../../domain/event-state.ts';
import type { VenueClock } from '../../domain/live-message.ts';
import { formatPosition } from '../../domain/log-position.ts';
import { Tally } from '../../domain/tally.ts';
import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { until } from '../../testing/until.ts';
import type { Viewer } from './fan-out.ts';
import { InProcessFanOut } from './in-process.ts';

/** Viewers on real sockets: the far end may read, or not. */
class SocketViewer implements Viewer {
  expiresAtMs = Infinity;
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  send(frame: Buffer): boolean {
    return this.socket.write(frame);
  }

  onDrain(resume: () => void): void {
    this.socket.once('drain', resume);
  }

  end(): void {
    this.socket.end();
  }

  cut(): void {
    this.socket.destroy();
  }
}

const CLOCK: VenueClock = { unixMs: 1_790_000_000_000, utcOffsetMs: -10_800_000 };

let fanOut: InProcessFanOut;
let server: Server;
const far: Socket[] = [];

beforeEach(async () => {
  fanOut = new InProcessFanOut({
    rows: DEFAULT_VENUE.sectors,
    readClock: () => CLOCK,
    // However busy the machine is, no viewer of these sockets is cut.
    limits: { heartbeatMs: 60_000, blockedMs: 600_000 },
  });
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  fanOut.close();
  for (const socket of far.splice(0)) socket.destroy();
  server.close();
});

async function openPageClient(): Promise<{ viewer: SocketViewer; far: Socket; text: () => string }> {
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  far.push(socket);
  let received = '';
  socket.on('data', (bytes) => (received += bytes.toString()));
  socket.on('error', () => {});
  const near = await accepted;
  near.on('error', () => {});
  return { viewer: new SocketViewer(near), far: socket, text: () => received };
}

/** At a position that tells its version. */
function counts(version: number, timeline = 1, systemId = '7'): CountsSlice {
  const position = formatPosition(systemId, timeline, BigInt(version));
  const tally = new Tally(SECTOR_CODES);
  return { kind: 'counts', eventId: 'a', epoch: 'e', version, position, ...tally.counts() };
}

/** A state so large that a socket nobody reads is soon full. Each waits BULKY_MS for the one before. */
const BULKY_MS = 110;
function bulky(version: number): DocumentsSlice {
  const documents = [{ code: String(version), data: 'x'.repeat(2_000_000) }];
  return { kind: 'documents', eventId: 'a', position: formatPosition('7', 1, BigInt(version)), documents };
}

function versionsIn(text: string): number[] {
  return [...text.matchAll(/id: e:7\.11\w(\w+)/g)].map(([, lsn = '']) => Number.parseInt(lsn, 16));
}

describe('the fan-out', () => {
  test('gives a viewer that joins the newest state of every kind', async () => {
    fanOut.publish(counts(1));
    fanOut.publish(counts(2));
    fanOut.publishFreshness({ live: true });
    const { viewer, text } = await openPageClient();
    fanOut.join(viewer);
    await until(() => expect(text()).toContain('event: source'));
    expect(versionsIn(text())[0]).toBe(2);
    expect(text().indexOf('event: counts')).toBeLessThan(text().indexOf('event: source'));
  });

  test('knows how many tickets are valid, while that is live', () => {
    fanOut.publish({ ...counts(1), valid: 7 });
    expect(fanOut.validTickets).toBeUndefined();
    fanOut.publishFreshness({ live: true });
    expect(fanOut.validTickets).toBe(7);
    fanOut.publishFreshness({ live: false, verifiedAtMs: 0, reason: 'connecting' });
    expect(fanOut.validTickets).toBeUndefined();
  });

  test('sends incomplete counts before the counts, and nothing of them to other viewers', async () => {
    fanOut.publish(counts(1));
    const [before, after] = [await openPageClient(), await openPageClient()];
    fanOut.join(before.viewer);
    await until(() => expect(before.text()).toContain('event: counts'));
    expect(before.text()).not.toContain('incomplete');
    const incomplete = [{ row: '7', fromMs: CLOCK.unixMs, toMs: null }];
    fanOut.publish({ kind: 'incomplete', eventId: 'a', position: counts(1).position, incomplete });
    fanOut.join(after.viewer);
    const told = 'event: incomplete\ndata: [{"row":"7","from":"11:13","to":null}]\n\n';
    await until(() => {
      expect(before.text()).toContain(told);
      expect(after.text()).toContain('event: counts');
    });
    expect(after.text().indexOf(told)).toBeGreaterThanOrEqual(0);
    expect(after.text().indexOf(told)).toBeLessThan(after.text().indexOf('event: counts'));
  });

  test('what is incomplete in a row of another name is so in the row that counts it, else everywhere', async () => {
    const rows = [{ code: 'S', codes: ['SUL'] }];
    const own = new InProcessFanOut({ rows, readClock: () => CLOCK });
    const { viewer, text } = await openPageClient();
    own.publish(counts(1));
    const incomplete = ['SUL', 'S', '', 'GONE', null].map((row) => ({ row, fromMs: 0, toMs: null }));
    own.publish({ kind: 'incomplete', eventId: 'a', position: counts(1).position, incomplete });
    own.join(viewer);
    await until(() => expect(text()).toContain('event: incomplete'));
    const [, data = ''] = /event: incomplete\ndata: (.*)/.exec(text()) ?? [];
    expect((JSON.parse(data) as { row: string | null }[]).map(({ row }) => row)).toEqual([
      'S',
      'S',
      '',
      null,
      null,
    ]);
    own.close();
  });

  test.each([
    [true, ['[]', '[{"row":null,"from":"11:13","to":null,"kind":"evacuation"}]', '[]']],
    [false, ['[]']],
  ])(
    'tells of an evacuation where the venue has a text for it (%s), and of nothing else',
    async (shows, expected) => {
      const own = new InProcessFanOut({ rows: [], readClock: () => CLOCK, showsEvacuation: shows });
      const { viewer, text } = await openPageClient();
      own.join(viewer);
      const slice = {
        kind: 'incomplete',
        eventId: 'a',
        position: counts(1).position,
        incomplete: [],
      } as const;
      for (const evacuatedAtMs of [null, CLOCK.unixMs, CLOCK.unixMs, null]) {
        own.publish({ ...slice, evacuatedAtMs });
        await pause(20);
      }
      const told = [...text().matchAll(/event: incomplete\ndata: (.*)/g)].map(([, data]) => data);
      expect(told).toEqual(expected);
      own.close();
    },
  );

  test('invariant 6: sends no older state after a newer one, and always the last', async () => {
    const { viewer, text } = await openPageClient();
    fanOut.join(viewer);
    for (let version = 1; version <= 300; version += 1) {
      fanOut.publish(counts(version));
      if (version % 7 === 0) await pause(1);
    }
    await until(() => expect(versionsIn(text()).at(-1)).toBe(300));
    const versions = versionsIn(text());
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(versions.length).toBeLessThan(150);
  });

  describe('with viewers that take 1 ms each', () => {
    /** As a slow kernel: a slice of the round reaches a few of them only. */
    class CostlyViewer extends SocketViewer {
      onSend = (): void => {};

      override send(frame: Buffer): boolean {
        const untilMs = performance.now() + 1;
        while (performance.now() < untilMs);
        this.onSend();
        return super.send(frame);
      }
    }
    const open = async (count: number) => {
      const clients: { viewer: CostlyViewer; text: () => string }[] = [];
      while (clients.length < count) {
        const { viewer, text } = await openPageClient();
        clients.push({ viewer: new CostlyViewer(viewer.socket), text });
      }
      return clients;
    };

    test('invariant 6: what changes during a round goes to those still to come first, and to all', async () => {
      const clients = await open(40);
      const [late, left] = [await open(3), await open(3)];
      for (const { viewer } of clients) fanOut.join(viewer);
      const leave = left.map(({ viewer }) => fanOut.join(viewer));
      fanOut.publish(counts(1));
      await new Promise<void>((resolve) => {
        const [, , third] = clients;
        if (third) third.viewer.onSend = () => setImmediate(resolve);
      });
      fanOut.publish(counts(2));
      // Who joins and who leaves meanwhile changes nothing for the others.
      for (const { viewer } of late) fanOut.join(viewer);
      for (const each of leave) each();
      await until(() => {
        for (const { text } of [...clients, ...late]) expect(versionsIn(text()).at(-1)).toBe(2);
      });
      const seen = clients.map(({ text }) => versionsIn(text()).join());
      expect(new Set(seen)).toEqual(new Set(['1,2', '2']));
      expect(seen.lastIndexOf('1,2')).toBeLessThan(20);
      expect(left.map(({ text }) => text()).join('')).toBe('');
    });

    test('a round lets everything else have its turn', async () => {
      const clients = await open(100);
      for (const { viewer } of clients) fanOut.join(viewer);
      fanOut.publish(counts(1));
      let turns = 0;
      for (; clients.at(-1)?.viewer.socket.bytesWritten === 0; turns += 1)
        await new Promise((resolve) => setImmediate(resolve));
      expect(turns).toBeGreaterThanOrEqual(6);
    });
  });

  test('sends the age of the counts at the moment of sending, by its own clock', async () => {
    fanOut.publishFreshness({ live: false, verifiedAtMs: performance.now() - 1_000, reason: 'lag' });
    await pause(200);
    const { viewer, text } = await openPageClient();
    fanOut.join(viewer);
    await until(() => expect(text()).toContain('event: source'));
    const ageMs = Number(/"ageMs":(\d+)/.exec(text())?.[1]);
    expect(ageMs).toBeGreaterThanOrEqual(1_190);
    expect(ageMs).toBeLessThan(3_000);
  });

  test('sends the first change after quiet without waiting for a frame', async () => {
    const { viewer, text } = await openPageClient();
    fanOut.join(viewer);
    await pause(50);
    let sentAfterTurns = 0;
    fanOut.publish(counts(1));
    while (viewer.socket.bytesWritten === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      sentAfterTurns += 1;
    }
    expect(sentAfterTurns).toBeLessThanOrEqual(2);
    await until(() => expect(versionsIn(text())).toEqual([1]));
  });

  test('invariant 6: a viewer that stops reading costs bounded memory, and gets the newest state when it reads', async () => {
    const slow = await openPageClient();
    const quick = await openPageClient();
    fanOut.join(slow.viewer);
    fanOut.join(quick.viewer);
    slow.far.pause();
    for (let version = 1; version <= 10; version += 1) {
      fanOut.publish(bulky(version));
      fanOut.publish(counts(version));
      await pause(BULKY_MS);
    }
    // At most one frame waits behind the one that filled the socket.
    expect(slow.viewer.socket.writableLength).toBeLessThan(2 * 2_500_000);
    await until(() => expect(versionsIn(quick.text()).at(-1)).toBe(10));
    slow.far.resume();
    await until(() => expect(versionsIn(slow.text()).at(-1)).toBe(10));
    // From then on it follows like all others.
    fanOut.publish(counts(11));
    await until(() => expect(versionsIn(slow.text()).at(-1)).toBe(11));
    const versions = versionsIn(slow.text());
    expect(versions.length).toBeLessThan(versionsIn(quick.text()).length);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });

  test('cuts a viewer that takes nothing for too long, and nobody else', async () => {
    const strict = new InProcessFanOut({
      rows: DEFAULT_VENUE.sectors,
      readClock: () => CLOCK,
      limits: { blockedMs: 100 },
    });
    /** Stand-ins: whether a socket takes what it is sent hangs on how busy the machine is. */
    const viewers = [false, true].map((takes) => ({
      isCut: false,
      expiresAtMs: Infinity,
      send: () => takes,
      onDrain: () => {},
      end: () => {},
      cut() {
        this.isCut = true;
      },
    }));
    for (const viewer of viewers) strict.join(viewer);
    strict.publish(counts(1));
    await until(() => expect(viewers.map(({ isCut }) => isCut)).toEqual([true, false]));
    expect(strict.size).toBe(1);
    strict.close();
  });

  test("ends a viewer's stream when its session ends", async () => {
    const { viewer } = await openPageClient();
    viewer.expiresAtMs = performance.now() + 10;
    fanOut.join(viewer);
    await until(() => expect(viewer.socket.writableEnded).toBe(true));
    expect(fanOut.size).toBe(0);
  });

  test('forgets a viewer that left', async () => {
    const { viewer, text } = await openPageClient();
    const leave = fanOut.join(viewer);
    leave();
    leave();
    fanOut.publish(counts(1));
    await pause(50);
    expect(fanOut.size).toBe(0);
    expect(text()).toBe('');
  });
});
