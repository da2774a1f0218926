// The certificate of the listeners, and its successor: both files are read again when they change.
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type Server as TlsServer } from 'node:tls';
import type { Clock } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { messageOf, ReeveError } from '../core/errors.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const LOOK_EVERY_MS = MINUTE_MS;

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Throws CONFIG_INVALID when the files are not a certificate and its key. */
export function readCertificate({ certFile, keyFile }: TlsFiles): Certificate {
  try {
    const certificate = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    createSecureContext(certificate);
    return certificate;
  } catch (cause) {
    throw new ReeveError('CONFIG_INVALID', `http.tls: ${certFile} and ${keyFile}: ${messageOf(cause)}`, { cause });
  }
}

interface WatchDeps {
  readonly clock: Clock;
  readonly report: (text: string) => void;
  /** Called with each certificate that is used from now on. */
  readonly onChange: (certificate: Certificate) => void;
}

/**
 * Looks at the files once a minute. A pair that is not sound is reported, and the old one stays until it is: who renews
 * it may set owner and mode a moment later, which changes no time.
 */
export function watchCertificate(files: TlsFiles, servers: readonly TlsServer[], deps: WatchDeps): Disposable {
  const versionOf = () => [files.certFile, files.keyFile].map((file) => statSync(file).mtimeMs).join();
  let known = versionOf();
  let told = '';
  return deps.clock.every(LOOK_EVERY_MS, () => {
    try {
      const version = versionOf();
      if (version === known) return;
      const certificate = readCertificate(files);
      for (const server of servers) server.setSecureContext(certificate);
      known = version;
      told = '';
      deps.onChange(certificate);
      deps.report('the certificate was read again');
    } catch (thrown) {
      const because = messageOf(thrown);
      if (because !== told) deps.report(`the new certificate is not used: ${because}`);
      told = because;
    }
  });
}
