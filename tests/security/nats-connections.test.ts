import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connect } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { makeTestCertificate, type TestCertificate } from '../../testing/server/certificate.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { natsOptions, openNatsClient } from '../../testing/fleet/nats-client.ts';
import { NATS_USERS, startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { until } from '../../testing/until.ts';

/** Who is let in by deploy/nats-server.conf, and who is not. */

const nats = openForAll(() => startNats({ servers: 2, asDeployed: true }));
const foreign = openForAll(() => makeTestCertificate(makeTestFolder()));

test('each user signs in with its password, and with nothing else', async () => {
  for (const user of NATS_USERS) {
    const options = natsOptions(nats, user);
    await openNatsClient(options);
    const other = natsOptions(nats, user === 'edge-1' ? 'edge-2' : 'edge-1').pass ?? '';
    for (const pass of ['', 'wrong', other]) {
      await expect(connect({ ...options, pass }), `${user} with "${pass}"`).rejects.toThrow(
        'Authorization Violation',
      );
    }
  }
});

test('nobody comes in without a user, or as one that is not named', async () => {
  const { user: _user, pass, ...options } = natsOptions(nats, 'edge-1');
  await expect(connect(options)).rejects.toThrow('Authorization Violation');
  for (const user of ['edge-3', 'counter-3', 'sys', 'admin', '']) {
    await expect(connect({ ...options, user, pass: pass ?? '' }), user).rejects.toThrow(
      'Authorization Violation',
    );
  }
});

test('a client without TLS is cut off before a password counts', async () => {
  const { url } = nats.servers[0];
  const { user, pass } = natsOptions(nats, 'edge-1');
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let said = '';
  socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1'))).on('error', () => {});
  await until(() => expect(said).toContain('"tls_required":true'));
  socket.write(`CONNECT ${JSON.stringify({ user, pass, verbose: true })}\r\nPING\r\n`);
  await until(() => expect(socket.closed).toBe(true));
  expect(said).not.toMatch(/PONG|\+OK/);
});

test('a client refuses a server whose certificate is of another authority', async () => {
  const { tls: _tls, ...options } = natsOptions(nats, 'edge-1');
  await expect(connect({ ...options, tls: { caFile: foreign.certificateFile } })).rejects.toThrow(
    /unable to verify/,
  );
  await expect(connect({ ...options, tls: {} })).rejects.toThrow(/unable to verify/);
});

/** Connects as another NATS server would, and returns what the cluster sends. */
async function openRoute(certificate: Pick<TestCertificate, 'certificateFile' | 'keyFile'> | undefined) {
  const { cluster } = (await nats.servers[0].monitor('varz')) as { cluster: { cluster_port: number } };
  const identity = certificate && {
    cert: readFileSync(certificate.certificateFile),
    key: readFileSync(certificate.keyFile),
  };
  const ca = readFileSync(nats.caFile ?? '');
  const secure = connectTls({ port: cluster.cluster_port, servername: 'localhost', ca, ...identity });
  onTestFinished(() => void secure.destroy());
  let said = '';
  secure.on('data', (bytes: Buffer) => (said += bytes.toString())).on('error', () => {});
  secure.write('CONNECT {"cluster":"triagem","name":"stranger"}\r\nPING\r\n');
  await until(() => expect(said.includes('PONG') || secure.destroyed).toBe(true));
  return said;
}

test('only who has a certificate of the cluster is a server among them', async () => {
  expect(await openRoute(undefined)).toBe('');
  expect(await openRoute(foreign)).toBe('');
  expect(await openRoute(nats.certificate)).toContain('PONG');
});
