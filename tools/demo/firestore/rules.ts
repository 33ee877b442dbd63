const PLACEHOLDER = 'UID_OF_THE_BOARD';

/** Returns the security rules of deploy/firestore.rules for a board that signs in with this account. */
export function admitAccount(rules: string, uid: string): string {
  if (!rules.includes(PLACEHOLDER)) throw new Error(`the rules name no ${PLACEHOLDER}`);
  return rules.replace(PLACEHOLDER, uid);
}
