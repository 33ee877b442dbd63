import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate for 127.0.0.1 that nobody but a test trusts. */
export interface TestCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly pem: string;
  /** The argument by which Chromium trusts it. */
  readonly chromiumOption: string;
}

export function makeTestCertificate(folder: string, days = 2): TestCertificate {
  const request =
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days} -subj /CN=127.0.0.1 ` +
    '-addext subjectAltName=IP:127.0.0.1 -keyout privkey.pem -out fullchain.pem';
  execFileSync('openssl', request.split(' '), { cwd: folder, stdio: 'ignore' });
  const certificateFile = join(folder, 'fullchain.pem');
  const keyFile = join(folder, 'privkey.pem');
  const pem = readFileSync(certificateFile, 'utf8');
  const publicKey = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
  const fingerprint = createHash('sha256').update(publicKey).digest('base64');
  return {
    certificateFile,
    keyFile,
    pem,
    chromiumOption: `--ignore-certificate-errors-spki-list=${fingerprint}`,
  };
}
