/** Whoever opens it is signed in, at whatever process answers. A browser sends nothing of the fragment. */
export function deskLink(url: string, key: string): string {
  return `${url}/fluxo#${new URLSearchParams({ chave: key, nome: 'Demo' }).toString()}`;
}
