export async function startServer() {
  return { base: process.env.STOA_URL, userId: 'webui-user', password: 'good', stop() {} };
}
