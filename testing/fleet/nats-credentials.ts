import {
  createAccount,
  createOperator,
  createUser,
  encodeAccount,
  encodeOperator,
  encodeUser,
  fmtCreds,
} from '@nats-io/jwt';

/** What a user may do, as in deploy/nats-server.conf. */
export interface Rights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export interface Operator {
  /** The lines of nats-server's configuration that let in whom this operator's account signs, and nobody else. */
  readonly config: string;
  /** The file of credentials of one more user; `endsAtS`: until then, in seconds since 1970. */
  credentials(user: string, rights: Rights, endsAtS?: number): Promise<string>;
}

const UNLIMITED = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
};

/** An operator with one account, as `nsc` makes them: no server knows a secret of a user. */
export async function createNatsOperator(): Promise<Operator> {
  const [operatorKey, accountKey] = [createOperator(), createAccount()];
  const operator = await encodeOperator('stadium', operatorKey);
  const account = await encodeAccount('TRIAGEM', accountKey, { limits: UNLIMITED }, { signer: operatorKey });
  return {
    config: `
    operator: "${operator}"
    resolver: MEMORY
    resolver_preload: { ${accountKey.getPublicKey()}: "${account}" }`,
    async credentials(user, { publish, subscribe }, endsAtS) {
      const key = createUser();
      const rights = {
        pub: { allow: [...publish], deny: [] },
        sub: { allow: [...subscribe], deny: [] },
      };
      const times = endsAtS === undefined ? {} : { exp: endsAtS };
      return Buffer.from(fmtCreds(await encodeUser(user, key, accountKey, rights, times), key)).toString();
    },
  };
}
