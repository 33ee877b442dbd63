import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { fillDisk } from '../../testing/database/disk.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { startWebhookReceiver } from '../../testing/desk/webhook-receiver.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { freePort } from '../../testing/server/free-port.ts';
import { install, makeDisk } from '../../testing/server/installation.ts';
import { startProgram } from '../../testing/server/program.ts';
import { untilReady } from '../../testing/server/test-server.ts';

/** A minute of the flow is half a second. */
export const SPEED = 120;

/** A board on a small disk of its own, with a desk, and whoever is called for an alarm. */
export async function openSmallDisk() {
  const clock = { sinceMs: Date.now(), speed: SPEED };
  const disk = await makeDisk({ isUsed: true, megabytes: 250 });
  const place = await install(disk.folder, disk);
  const metricsPort = await freePort();
  const receiver = await startWebhookReceiver();
  const script = join(PROJECT_ROOT, 'testing/desk/sped-up-server.mjs');
  const [command, ...args] = [...disk.enter, process.execPath, script];
  const server = startProgram(command, args, {
    env: {
      ...place.settings,
      DESK_KEY,
      METRICS_PORT: `${metricsPort}`,
      ALARM_WEBHOOK_URL: receiver.url,
      ALARM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      FLOW_SPEED: `${SPEED}`,
      FLOW_SINCE_MS: `${clock.sinceMs}`,
    },
  });
  closeOnce(() => server.end());
  await untilReady(place, 60_000);
  return {
    disk,
    place,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    receiver,
    server,
    clock,
    flowClock: speedUp(clock.sinceMs, SPEED),
    /** Leaves nothing free; returns what frees it again. */
    fill: (): (() => void) => {
      const filler = fillDisk(disk, 250);
      return () => rmSync(filler, { force: true });
    },
  };
}

/** Lets `tickets` people in, each with a new ticket. */
export async function enter(sql: postgres.Sql, name: string, tickets: number): Promise<void> {
  await sql`
    insert into tickets select ${DEFAULT_EVENT_ID}, ${name}::text || n, true, n % 3 = 0, '4'
    from generate_series(1, ${tickets}) n`;
}
