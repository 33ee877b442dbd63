export interface NatsServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Where NATS is, and who asks there. */
export interface NatsTarget {
  /** In the order of the setting; each is tried. */
  readonly servers: readonly NatsServerAddress[];
  /** Only over TLS. */
  readonly isTls: boolean;
  /** A file of certificates of authorities; `undefined`: the system's. */
  readonly caFile: string | undefined;
  readonly account:
    | { readonly kind: 'password'; readonly user: string; readonly password: string }
    /** The text of a credentials file. */
    | { readonly kind: 'credentials'; readonly text: string }
    | undefined;
}

/** As the log names a server. */
export function placeOf({ host, port }: NatsServerAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
