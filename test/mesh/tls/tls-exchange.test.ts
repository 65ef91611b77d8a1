import { describeExchange } from '../../contract/exchange-contract.ts';
import { tlsPlace } from '../../support/exchange-places.ts';

describeExchange('TLS', tlsPlace);
