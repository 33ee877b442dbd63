import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

const HSTS = 'max-age=31536000';
const POLICY =
  'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=(), screen-wake-lock=(self)';

/**
 * The page may load from its own origin only, run no script in itself but `inlineScripts`, and nobody may frame it.
 * What asks for TLS is sent behind TLS only: over plain HTTP on a LAN address, `upgrade-insecure-requests` would leave
 * the page blank.
 */
export async function addSecurityHeaders(
  app: FastifyInstance,
  inlineScripts: readonly string[],
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...inlineScripts],
        styleSrc: ["'self'"],
        fontSrc: ["'self'"],
        imgSrc: ["'self'"],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: false,
    // Isolation by origin needs a trustworthy origin; over plain HTTP it is only a warning in the console.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('permissions-policy', POLICY);
    if (request.protocol !== 'https') return;
    reply.header('strict-transport-security', HSTS);
    const policy = reply.getHeader('content-security-policy');
    reply.header('content-security-policy', `${String(policy)};upgrade-insecure-requests`);
    reply.header('cross-origin-opener-policy', 'same-origin');
  });
}
