export interface SignInRefusal {
  readonly message: string;
  /** The status of the answer, if any. */
  readonly status?: number;
}

export const UNREACHABLE_SERVER: SignInRefusal = {
  message: 'Sem conexão com o servidor. Verifique a rede e tente de novo.',
};

export const FOREIGN_ADDRESS =
  'O servidor não reconhece este endereço como seu. Quem o administra: veja TRUST_PROXY no manual de operação.';

export async function refusedSignIn(response: Response): Promise<SignInRefusal> {
  const { status } = response;
  if (status === 429) return { status, message: 'Muitas tentativas: espere um minuto.' };
  if (status === 422 && (await readField(response)) === 'name') {
    return { status, message: 'Escreva um nome de até 60 letras, sem caracteres invisíveis.' };
  }
  if (status === 401) return { status, message: 'A sessão terminou.' };
  if (status === 403) {
    return { status, message: FOREIGN_ADDRESS };
  }
  if (status >= 500) {
    return {
      status,
      message: `O servidor responde, mas não pode abrir a mesa agora (${status}): falta o registro, ou a contagem. Tente de novo; se continuar, chame quem o administra.`,
    };
  }
  return { status, message: `O servidor não aceitou (${status}). Tente de novo.` };
}

async function readField(response: Response): Promise<unknown> {
  try {
    return ((await response.json()) as { readonly field?: unknown }).field;
  } catch {
    return undefined;
  }
}
