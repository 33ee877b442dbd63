import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { warningsOf } from './nats-settings.ts';
import { faultsOf } from '../../testing/server/config-faults.ts';
import { readRoleConfig } from '../roles/role-config.ts';

const COUNTER = {
  ROLE: 'counter',
  DATABASE_URL: 'postgres://observer:secret@db.example:5432/triagem',
  NATS_URL: 'nats://127.0.0.1:4222',
};
const EDGE = {
  ROLE: 'edge',
  NATS_URL: 'tls://nats-1.example.org, tls://nats-2.example.org:4223',
  NATS_USER: 'edge-1',
  NATS_PASSWORD: 'a-password-of-nats',
  DASHBOARD_EMAIL: 'painel@exemplo.test',
  DASHBOARD_KEY: 'k'.repeat(16),
  SESSION_SECRET: 's'.repeat(16),
};

describe('without ROLE', () => {
  test('it is one process with everything in it, and says of each setting of NATS that it has no use for it', () => {
    expect(readRoleConfig({})).toMatchObject({ role: 'all-in-one', source: { kind: 'embedded' } });
    const { NATS_URL } = COUNTER;
    const faults = faultsOf({ NATS_URL, NODE_NAME: 'n1', PORT: 'x' });
    expect(faults).toMatch(
      /NATS_URL is set: a process without ROLE uses no NATS: leave it out, or set ROLE=/,
    );
    expect(faults).toMatch(/NODE_NAME is set/);
    expect(faults).toMatch(/PORT is "x"/);
  });

  test('another role than there is is refused', () => {
    expect(faultsOf({ ROLE: 'leader' })).toMatch(/ROLE is "leader": give counter or edge, or nothing/);
  });
});

describe('a counter', () => {
  test('takes a database and NATS', () => {
    expect(readRoleConfig(COUNTER)).toMatchObject({
      role: 'counter',
      source: { kind: 'postgres', url: COUNTER.DATABASE_URL },
      deployment: 'main',
      nats: { servers: [{ host: '127.0.0.1', port: 4222 }], isTls: false, account: undefined },
    });
    expect(faultsOf({ ROLE: 'counter' })).toMatch(/DATABASE_URL is missing.*\n.*NATS_URL is missing/s);
  });

  test.each([
    'EVENT_ID',
    'EVENT_TITLE',
    'DASHBOARD_KEY',
    'SESSION_SECRET',
    'TRUST_PROXY',
    'MAX_VIEWERS',
    'DATA_DIR',
    'STATE_DIR',
    'DESK_KEY',
  ])('does not want %s', (name) =>
    expect(faultsOf({ ...COUNTER, [name]: 'x' })).toMatch(new RegExp(`${name} is set: `)),
  );
});

describe('the flow of a counter', () => {
  const RECORD = { RECORD_DATABASE_URL: 'postgres://record:secret@db.example:5432/triagem' };

  test('is that of one event, where there is a record', () => {
    expect(readRoleConfig(COUNTER)).toMatchObject({ flow: undefined });
    expect(readRoleConfig({ ...COUNTER, ...RECORD, EVENT_ID: 'a'.repeat(32) })).toMatchObject({
      flow: { eventId: 'a'.repeat(32), timeZone: 'America/Sao_Paulo', demo: false },
    });
    expect(faultsOf({ ...COUNTER, EVENT_ID: 'a'.repeat(32) })).toMatch(
      /EVENT_ID is set: .*where RECORD_DATABASE_URL is set/,
    );
    expect(faultsOf({ ...COUNTER, ...RECORD, EVENT_ID: 'x', TIME_ZONE: 'Mars' })).toMatch(
      /TIME_ZONE is "Mars".*EVENT_ID is "x"|EVENT_ID is "x".*TIME_ZONE is "Mars"/s,
    );
    expect(readRoleConfig({ ...EDGE, DESK_KEY: 'd'.repeat(16) })).toMatchObject({ deskKey: 'd'.repeat(16) });
  });
});

describe('an edge', () => {
  test('takes NATS, the screens and their account', () => {
    expect(readRoleConfig(EDGE)).toMatchObject({
      role: 'edge',
      nodeName: 'edge-1',
      nats: {
        servers: [
          { host: 'nats-1.example.org', port: 4222 },
          { host: 'nats-2.example.org', port: 4223 },
        ],
        isTls: true,
        account: { kind: 'password', user: 'edge-1', password: EDGE.NATS_PASSWORD },
      },
    });
  });

  test('that is given a database says that it does not want it, beside every other fault, and no secret', () => {
    const faults = faultsOf({
      ...EDGE,
      DATABASE_URL: COUNTER.DATABASE_URL,
      RECORD_DATABASE_URL: COUNTER.DATABASE_URL,
      SOURCE_DATABASE_URL: COUNTER.DATABASE_URL,
      UNWATCHED_SUBSCRIPTIONS: 'crm',
      EMBEDDED_DATABASE_PORT: '5',
      MIGRATE_DATABASE_URL: COUNTER.DATABASE_URL,
      GATES_DATABASE_URL: COUNTER.DATABASE_URL,
      GATES_HTTP_KEY: 'a-secret@of-the-gates',
      GATES_PRETIX_TOKEN: 'a-secret@of-pretix',
      ALARM_WEBHOOK_URL: 'https://chat.example.org/x',
      DASHBOARD_KEY: '',
      EVENT_ID: 'x/z',
    });
    expect(faults).toMatch(/DATABASE_URL is set: ROLE=edge does not want it/);
    expect(faults).toMatch(/MIGRATE_DATABASE_URL is set: ROLE=edge does not want it.*: leave it out/);
    const others = ['RECORD_DATABASE_URL', 'EMBEDDED_DATABASE_PORT', 'ALARM_WEBHOOK_URL'];
    const sources = ['SOURCE_DATABASE_URL', 'UNWATCHED_SUBSCRIPTIONS'];
    for (const name of [...others, ...sources, 'GATES_DATABASE_URL', 'GATES_HTTP_KEY', 'GATES_PRETIX_TOKEN'])
      expect(faults).toMatch(`${name} is set: `);
    expect(faults).toMatch(/DASHBOARD_KEY is missing: an edge keeps no secrets of its own, set one/);
    expect(faults).toMatch(/EVENT_ID is "x\/z": give 32 hexadecimal characters, or the ID of a document/);
    expect(faults).not.toMatch('secret@');
  });
});

describe('NATS_URL', () => {
  test.each([
    [
      'http://a',
      /has "http:\/\/a", which is no address of NATS: write nats:\/\/host:4222 or tls:\/\/host:4222/,
    ],
    ['nats://a,,nats://b', /has "", which is no address of NATS/],
    ['nats://a/b', /which is no address of NATS/],
    ['nats://', /which is no address of NATS/],
    ['a:4222', /which is no address of NATS/],
    ['nats://u:geheim@a', /holds a user or a password: set NATS_USER and NATS_PASSWORD instead/],
    ['nats://a,tls://b', /mixes nats:\/\/ and tls:\/\//],
    ['tls://10.0.0.1', /give the name that the certificate is for, no address/],
  ])('%s is refused', (url, message) => {
    const faults = faultsOf({ ...COUNTER, NATS_URL: url });
    expect(faults).toMatch(message);
    expect(faults).not.toMatch('geheim');
  });

  test('takes addresses of every kind', () => {
    const servers = (url: string): unknown => {
      const config = readRoleConfig({ ...COUNTER, NATS_URL: url });
      return config.role === 'counter' && config.nats.servers;
    };
    expect(servers('nats://[::1]:80,nats://localhost')).toEqual([
      { host: '::1', port: 80 },
      { host: 'localhost', port: 4222 },
    ]);
  });
});

describe('who signs in at NATS', () => {
  const folder = makeTestFolder({ 'no.creds': 'a text' });

  test.each([
    [{ NATS_USER: 'a' }, /NATS_PASSWORD is missing: NATS_USER and NATS_PASSWORD go together/],
    [{ NATS_PASSWORD: 'a' }, /NATS_USER is missing/],
    [{ NATS_USER: 'a', NATS_PASSWORD: 'b', NATS_CREDS: '/none' }, /NATS_CREDS is set beside NATS_USER/],
    [{ NATS_CREDS: '/none' }, /NATS_CREDS is "\/none", which cannot be read: /],
    [{ NATS_CREDS: join(folder, 'no.creds') }, /which is no file of credentials/],
    [{ NATS_CA_FILE: '/none' }, /NATS_URL has no tls:/],
    [{ NODE_NAME: 'a.b' }, /NODE_NAME is "a.b": give letters, digits, "-" and "_", at most 40/],
    [
      { NATS_USER: 'a.b', NATS_PASSWORD: 'b' },
      /NATS_USER is "a.b", which cannot name this node: set NODE_NAME/,
    ],
    [{ DEPLOYMENT: 'a b' }, /DEPLOYMENT is "a b": give letters/],
  ])('%j is refused', (env: Record<string, string>, message) => {
    expect(faultsOf({ ...COUNTER, ...env })).toMatch(message);
  });

  test('may be a file of credentials; a node is named by itself, else by its user, else by its machine', () => {
    const path = join(folder, 'user.creds');
    writeFileSync(path, '-----BEGIN NATS USER JWT-----\n…');
    expect(readRoleConfig({ ...COUNTER, NATS_CREDS: path, NODE_NAME: 'c9' })).toMatchObject({
      nodeName: 'c9',
      nats: { account: { kind: 'credentials' } },
    });
    const names = [1, 2].map(() => (readRoleConfig(COUNTER) as { nodeName: string }).nodeName);
    expect(names[0]).toMatch(/^[A-Za-z0-9_-]{5,40}$/);
    expect(names[0]).not.toBe(names[1]);
  });

  test('and how is told loudly where anybody could listen or publish: beyond this machine only', () => {
    const warnings = (env: Record<string, string>): string[] => {
      const config = readRoleConfig({ ...COUNTER, ...env });
      return config.role === 'counter' ? warningsOf(config.nats) : [];
    };
    const account = { NATS_USER: 'a', NATS_PASSWORD: 'b' };
    expect(warnings({})).toEqual([]);
    expect(warnings({ NATS_URL: 'tls://far', ...account })).toEqual([]);
    expect(warnings({ NATS_URL: 'nats://far', ...account })).toEqual([expect.stringMatching(/WITHOUT TLS/)]);
    expect(warnings({ NATS_URL: 'tls://far' })).toEqual([expect.stringMatching(/WITHOUT A PASSWORD/)]);
    expect(warnings({ NATS_URL: 'nats://127.0.0.1,nats://far:1' })).toEqual([
      expect.stringMatching(/far:1 is reached WITHOUT TLS/),
      expect.stringMatching(/far:1 is used WITHOUT A PASSWORD/),
    ]);
  });
});
