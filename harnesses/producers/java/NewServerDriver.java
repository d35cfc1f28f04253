import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * MySQL's JDBC driver for a connector that is older than its server: Debezium 2 sends SHOW MASTER STATUS, which is SHOW
 * BINARY LOG STATUS since MySQL 8.4. Everything else is passed on. The connector's property database.jdbc.driver names
 * this driver.
 */
public final class NewServerDriver implements Driver {
    private static final String OLD = "SHOW MASTER STATUS";
    private static final String NEW = "SHOW BINARY LOG STATUS";

    private final Driver driver;

    public NewServerDriver() throws SQLException {
        driver = new com.mysql.cj.jdbc.Driver();
    }

    private static <T> T renaming(Class<T> type, T target) {
        InvocationHandler handler = (self, method, given) -> {
            Object[] arguments = given;
            if (given != null && given.length > 0 && given[0] instanceof String
                    && OLD.equalsIgnoreCase(((String) given[0]).trim())) {
                arguments = given.clone();
                arguments[0] = NEW;
            }
            try {
                Object result = method.invoke(target, arguments);
                boolean makes = method.getName().equals("createStatement");
                return makes ? renaming(Statement.class, (Statement) result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(NewServerDriver.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
        Connection connection = driver.connect(url, properties);
        return connection == null ? null : renaming(Connection.class, connection);
    }

    @Override
    public boolean acceptsURL(String url) throws SQLException {
        return driver.acceptsURL(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) throws SQLException {
        return driver.getPropertyInfo(url, properties);
    }

    @Override
    public int getMajorVersion() {
        return driver.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
        return driver.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
        return driver.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger(Logger.GLOBAL_LOGGER_NAME);
    }
}
