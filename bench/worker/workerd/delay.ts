/** A bucket that is far away. */

/** The same bucket, with every read delayed by some milliseconds. */
export function delayed(bucket: R2Bucket, milliseconds: number): R2Bucket {
  const get = async (key: string, options?: R2GetOptions) => {
    await scheduler.wait(milliseconds);
    return bucket.get(key, options);
  };
  return new Proxy(bucket, {
    get(target, name) {
      if (name === "get") return get;
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
