/** Finds assets by symbol, name and contract. */

/** What an asset is found by. */
export interface FindableAsset {
  symbol: string;
  name: string;
  /** Its contract, `0x` and 40 digits. */
  contract?: string;
  /** Symbols that it had before. */
  was?: string[];
}

/** Digits of a contract after which a part of it finds: fewer are part of too many. */
const LEAST_DIGITS = 4;

/** Whether all words of a text are in an asset's symbol, name or former symbols, or one of them in its contract. */
export function assetMatches({ symbol, name, contract, was = [] }: FindableAsset, text: string): boolean {
  const own = [symbol, name, ...was].join(" ").toLowerCase();
  return wordsOf(text).every((word) => own.includes(word) || isOfContract(word, contract));
}

/** The assets that a text finds, the best first: the symbol, its beginning, that of a word of the name, and all others in their order. */
export function findAssets<A extends FindableAsset>(assets: readonly A[], text: string): A[] {
  const wanted = text.trim().toLowerCase();
  const rankOf = ({ symbol, name, was = [] }: A) => {
    const own = symbol.toLowerCase();
    if (own === wanted) return 0;
    if (was.some((former) => former.toLowerCase() === wanted)) return 1;
    if (own.startsWith(wanted)) return 2;
    return wordsOf(name).some((word) => word.startsWith(wanted)) ? 3 : 4;
  };
  return assets.filter((asset) => assetMatches(asset, text)).toSorted((a, b) => rankOf(a) - rankOf(b));
}

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

const isOfContract = (word: string, contract: string | undefined) =>
  contract !== undefined && /^0x[0-9a-f]*$/.test(word)
    ? word.length >= 2 + LEAST_DIGITS && contract.toLowerCase().startsWith(word)
    : contract !== undefined && word.length >= LEAST_DIGITS + 2 && contract.toLowerCase().includes(word);
