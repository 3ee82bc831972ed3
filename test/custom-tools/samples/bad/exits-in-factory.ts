export default async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.exit(3)
}
