/**
 * What is needed to speak with a provider: an address and a credential, found by whoever chose the model. Adapters
 * hand every value on explicitly, so that no package looks for one in the environment by itself. Holds secrets.
 */

export interface ProviderDoor {
  /** Null: the vendor's own public address. An `openai-compatible` provider has none and must be given one. */
  readonly baseUrl: string | null;
  readonly credential: Credential;
  /** Region of `amazon-bedrock`, which always needs one; null for the others. */
  readonly region: string | null;
}

/** `variable` is the name of the environment variable it came from: messages name it, never the value. */
export type Credential =
  /** Sent the way the vendor takes API keys; for `amazon-bedrock` a bearer key. */
  | { readonly kind: 'key'; readonly variable: string; readonly key: string }
  /** Anthropic only: sent as `Authorization: Bearer` in place of a key (`ANTHROPIC_AUTH_TOKEN`). */
  | { readonly kind: 'token'; readonly variable: string; readonly token: string }
  /** `amazon-bedrock` only: requests are signed. */
  | {
      readonly kind: 'aws';
      readonly variable: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | null;
    }
  /** `openai-compatible` only: a server that asks for none. */
  | { readonly kind: 'none' };

/** Every text of a credential that must not stand in any message. */
export function secretsOf(credential: Credential): readonly string[] {
  switch (credential.kind) {
    case 'key':
      return [credential.key];
    case 'token':
      return [credential.token];
    case 'aws':
      return [credential.accessKeyId, credential.secretAccessKey, ...textsOf(credential.sessionToken)];
    case 'none':
      return [];
  }
}

function textsOf(text: string | null): readonly string[] {
  return text === null ? [] : [text];
}
