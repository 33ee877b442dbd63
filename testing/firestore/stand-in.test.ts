import { describeAgreement } from './agreement.ts';
import { startFirestoreStandIn } from './stand-in.ts';

describeAgreement('the stand-in', async (identity) => {
  const standIn = await startFirestoreStandIn({ identity });
  return {
    host: standIn.host,
    isConsistent: true,
    allowReading: (project, email) => Promise.resolve(standIn.allowReading(project, email)),
  };
});
