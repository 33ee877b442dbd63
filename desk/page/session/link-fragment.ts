/** What a link to the desk brings: who opens it signs in with it. */
export type LinkFragment =
  | { readonly invitation: string }
  /** `name`: of whoever is signed in at once, as by the demonstration's link. */
  | { readonly key: string; readonly name: string | undefined };

/** Reads `#convite=…`, or `#chave=…` with or without `&nome=…`. The fragment is never sent to a server. */
export function readLinkFragment(hash: string): LinkFragment | undefined {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const invitation = parts.get('convite');
  if (invitation) return { invitation };
  const key = parts.get('chave');
  return key ? { key, name: parts.get('nome') || undefined } : undefined;
}

/** The same, and takes it out of the address: what is shown and shared there must not open a desk. */
export function takeLinkFragment(window: Window): LinkFragment | undefined {
  const { location, history } = window;
  const fragment = readLinkFragment(location.hash);
  if (fragment) history.replaceState(null, '', location.pathname + location.search);
  return fragment;
}

/** The address at which a phone signs in. */
export function invitationLink(invitation: string, { origin, pathname }: Location): string {
  return `${origin}${pathname}#convite=${encodeURIComponent(invitation)}`;
}
