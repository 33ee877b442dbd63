import { expect, test } from 'vitest';
import { isLoopback, isReadOnTheWay } from './webhook-target.ts';

test.each(['127.0.0.1', '127.8.8.8', '::1', '0.0.0.0', '::', '::ffff:7f00:1', 'localhost', 'desk.localhost'])(
  '%s is this machine',
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each(['128.0.0.1', '192.168.0.9', 'fe80::1', 'localhost.example', 'chat.example', 'chat'])(
  '%s may be another machine',
  (host) => expect(isLoopback(host)).toBe(false),
);

test('what is posted without TLS to another machine can be read on the way', () => {
  const isRead = (url: string): boolean => isReadOnTheWay({ url, key: Buffer.alloc(32) });
  expect(['http://192.168.0.9/hook', 'http://chat:8080/', 'http://[fe80::1]/'].map(isRead)).not.toContain(
    false,
  );
  expect(['https://192.168.0.9/hook', 'http://localhost:8065/', 'http://[::1]/'].map(isRead)).not.toContain(
    true,
  );
});
