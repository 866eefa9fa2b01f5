/** The worker thread of `svc run`. It is the same for all agents, except that svc's own agent gets a new manifest. */
import { workerData } from 'node:worker_threads'
import { runWorker } from '../../worker/main.ts'
import { renewOwnManifest } from './manifest.ts'

export const runHostWorker = (): Promise<void> => runWorker((folder) => renewOwnManifest(folder, workerData.file))
