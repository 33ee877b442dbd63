export interface NatsServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Where NATS is, and the user for it. */
export interface NatsTarget {
  /** In the order of the setting; each is tried. */
  readonly servers: readonly NatsServerAddress[];

  readonly isTls: boolean;
  /** The certificates of trusted authorities, as a file; `undefined`: the system's. */
  readonly caFile: string | undefined;
  readonly account:
    | { readonly kind: 'password'; readonly user: string; readonly password: string }
    /** The text of a credentials file. */
    | { readonly kind: 'credentials'; readonly text: string }
    | undefined;
}

/** Returns `host:port`. */
export function placeOf({ host, port }: NatsServerAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
