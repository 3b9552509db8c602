/** @returns whether the browser allows it; `navigator.clipboard` is there only over HTTPS and on this machine */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
