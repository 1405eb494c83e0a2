/** Ways to do the same, to be compared by what their import takes. */
export interface Question {
  readonly title: string;
  readonly rows: readonly ImportRow[];
  /** What the bundles' export `first` does; it is measured too. */
  readonly first?: string;
}

export interface ImportRow {
  readonly what: string;
  /** Or why there is none. */
  readonly bundle: Uint8Array | string;
  /** `what` of the row that it is compared with. */
  readonly beside?: string;
  /** Whether packages are read from elsewhere, so that the bundle's size tells nothing. */
  readonly isPartial?: boolean;
}
