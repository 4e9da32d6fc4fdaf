/** What the operator says of the network: the section `web` of the settings file, checked when the file was read. */

export interface WebSettings {
  /** `http://<host>:<port>`; null: none, whatever the environment says. */
  readonly proxy: string | null;
  /** Host names, addresses and ranges (`10.1.0.0/16`) that are allowed beside the public network. */
  readonly allowPrivate: readonly string[];
}

export const NO_WEB_SETTINGS: WebSettings = { proxy: null, allowPrivate: [] };
