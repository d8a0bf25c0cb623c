/* What becomes of a crawl whose directory failed, on a full disk for one. A database that could not write something
 * writes nothing any more until it is opened anew. So it is, once a second, as soon as the directory has room: what was
 * acknowledged is there, and what was refused meanwhile may be sent again. Until then the service does not serve
 * (cw_service.is_failing). */
#ifndef CW_SERVICE_MEND_H
#define CW_SERVICE_MEND_H

#include "tools/serve/urlfrontier/service.h"

/* Opens anew what can be, and says on standard error when something fails first and when nothing does any more. A few
 * times a second, between calls. */
void cw_service_mend(cw_service *service);

#endif
