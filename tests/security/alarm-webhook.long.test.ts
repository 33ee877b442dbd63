import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogEntry } from '../../desk/model/log/flow-log.ts';
import { postMessage } from '../../desk/webhook/post-message.ts';
import { type TestCertificate, makeTestCertificate } from '../../testing/server/certificate.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY, deskSettings } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH } from '../../testing/desk/desk-client.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { NO_FIGURES } from '../../testing/desk/log-rows.ts';
import { openTestRecord } from '../../testing/desk/record.ts';
import { launchServer, type ServerProcess } from '../../testing/server/server.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/desk/webhook-receiver.ts';

const WARNING = 'an alarm cannot be sent to ALARM_WEBHOOK_URL';
const IN_CLEAR = /^ALARM_WEBHOOK_URL begins with http:\/\/ and is on another machine: .* set an https:/;

/** A server, in a process of its own, with an alarm in its log that nobody was told of. */
async function startWithAlarm(
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const database = await createTestDatabase({ inside: { a: '4' } });
  const recorder = openTestRecord({ url: database.recordUrl, eventId: DEFAULT_EVENT_ID });
  const alarm: LogEntry = {
    id: 'alarm:no-data',
    atMs: Date.now(),
    source: 'live',
    by: null,
    sector: null,
    kind: 'alarm',
    data: { rule: 'no-data', figures: { staleMs: 30_000 } },
    figures: NO_FIGURES,
  };
  recorder.record.note(alarm);
  await until(() => expect(recorder.events.log).toHaveLength(1));
  await recorder.stop();
  const server = await launchServer(database.observerUrl, {
    env: {
      DESK_KEY,
      RECORD_DATABASE_URL: database.recordUrl,
      ALARM_WEBHOOK_URL: url,
      ALARM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      ...env,
    },
  });
  closeOnce(() => server.stop());
  // What follows is waited for from here on, not from the start of its process.
  await server.serves('/healthz');
  return server;
}

type Receiver = WebhookReceiver & { readonly certificate: TestCertificate };

async function startTlsReceiver(): Promise<Receiver> {
  const certificate = makeTestCertificate(makeTestFolder());
  const key = readFileSync(certificate.keyFile, 'utf8');
  return Object.assign(await startWebhookReceiver({ cert: certificate.pem, key }), { certificate });
}

/** What it warns of the webhook. */
const warnings = ({ logged }: ServerProcess): unknown[] =>
  logged
    .filter(({ level, msg }) => level === 40 && String(msg).includes('ALARM_WEBHOOK_URL'))
    .map(({ msg, reason }) => reason ?? msg);

test('alarms are posted over TLS to a receiver for whose certificate the operator vouches', async () => {
  const { url, received, certificate } = await startTlsReceiver();
  const server = await startWithAlarm(url, { NODE_EXTRA_CA_CERTS: certificate.certificateFile });
  await until(() => expect(received).toHaveLength(1));
  expect(received[0]?.body).toContain('"rule":"no-data"');
  expect(warnings(server)).toEqual([]);
});

/** A full run has each. */
const REFUSED = [
  [
    'nobody vouches for',
    ({ url }: Receiver) => startWithAlarm(url),
    'nobody whom this machine trusts vouches for its certificate: name the file of its authority in NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  [
    'is for another name',
    ({ url, certificate }: Receiver) =>
      startWithAlarm(url.replace('127.0.0.1', 'localhost'), {
        NODE_EXTRA_CA_CERTS: certificate.certificateFile,
      }),
    'its certificate is for another name than the address has (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
] as const;

test.each(REFUSED.slice(0, IS_FULL ? 2 : 1))(
  'a receiver whose certificate %s is sent nothing, and the log says why',
  async (_what, start, reason) => {
    const receiver = await startTlsReceiver();
    const server = await start(receiver);
    await until(() => expect(server.logged.map(({ msg }) => msg)).toContain(WARNING));
    expect(warnings(server)).toContain(reason);
    expect(receiver.received).toEqual([]);
  },
);

test('a start that would send alarms to another machine in the clear warns, and names the fix', async () => {
  const server = await startWithAlarm('http://192.0.2.7/hook');
  await until(() => expect(warnings(server)).toContainEqual(expect.stringMatching(IN_CLEAR)));
  for (const { url } of IS_FULL ? [await startWebhookReceiver()] : []) {
    const local = await startWithAlarm(url);
    await local.serves('/readyz');
    expect(warnings(local)).toEqual([]);
  }
});

test('a board that alarms are posted to, under a name it does not know for its own, takes none', async () => {
  const database = await createTestDatabase({ inside: { a: '4' } });
  const server = await startTestServer(database, deskSettings(database));
  await untilReady(server);
  const message = { id: 'alarm_x', body: '{"type":"alarm.raised"}' };
  for (const path of ['/', '/fluxo', '/api/sign-in', `${DESK_EVENT_PATH}/log`]) {
    const target = { url: `${server.url}${path}`, key: Buffer.alloc(32) };
    const { kind } = await postMessage(target, message, AbortSignal.timeout(60_000));
    expect([path, kind]).not.toEqual([path, 'taken']);
  }
  const [written] =
    await database.admin`select count(*)::int as rows from triagem.log where by_name is not null`;
  expect(written).toEqual({ rows: 0 });
});
