import { describeExchange } from '../../contract/exchange-contract.ts';
import { memoryPlace } from '../../support/exchange-places.ts';

describeExchange('memory', memoryPlace);
