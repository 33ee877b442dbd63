import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { readRecipe } from '../../testing/gates/recipes.ts';
import { readWebhookSecret } from './webhook-settings.ts';
import { signMessage } from './signature.ts';

test('a message is signed as the standard webhooks are', () => {
  // The example of www.standardwebhooks.com.
  const key = readWebhookSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  expect(key).toHaveLength(24);
  const signed = signMessage(
    key ?? Buffer.alloc(0),
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    '{"test": 2432232314}',
    1_614_265_330_999,
  );
  expect(signed).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('docs/reference.md says how to verify it by hand', () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, place) => place * 8));
  const body = '{"text":"18:29 · SUL DORIL"}\n';
  const signed = signMessage(key, 'alarm_1', body, 1_795_382_940_000);
  const printed = execFileSync('sh', ['-c', readRecipe('signature', {}, 'docs/reference.md')], {
    cwd: makeTestFolder({ 'body.json': body }),
    env: {
      ...process.env,
      ALARM_WEBHOOK_SECRET: `whsec_${key.toString('base64')}`,
      WEBHOOK_ID: signed['webhook-id'],
      WEBHOOK_TIMESTAMP: signed['webhook-timestamp'],
    },
  });
  expect(printed.toString()).toBe(signed['webhook-signature']);
});

test.each([
  '',
  'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'whsec_',
  `whsec_${Buffer.alloc(23).toString('base64')}`,
  `whsec_${Buffer.alloc(65).toString('base64')}`,
  'whsec_not base64 at all, and long enough for it',
])('"%s" is no secret', (secret) => {
  expect(readWebhookSecret(secret)).toBeUndefined();
});
